// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/array64.h"

#include "einsummable/base/error.h"

namespace einsummable {

template <class T>
Array<T>::Array(Box bounds, T fill)
    : bounds_(std::move(bounds)),
      strides_(row_major_strides(shape_of(bounds_))),
      values_(static_cast<size_t>(elements(bounds_)), fill) {}

template <class T>
size_t Array<T>::offset(std::span<const int64_t> position) const {
  bool inside = position.size() == bounds_.size();
  int64_t offset = 0;
  for (size_t i = 0; inside && i < bounds_.size(); ++i) {
    inside = bounds_[i].lo <= position[i] && position[i] < bounds_[i].hi;
    offset += (position[i] - bounds_[i].lo) * strides_[i];
  }
  if (!inside) ensure(false, "a position out of bounds");
  return static_cast<size_t>(offset);
}

template <class T>
Array<T> Array<T>::project(const Box& box) const {
  ensure(contains(bounds_, box), "a projection outside the bounds");
  Array out(box);
  size_t next = 0;
  for_each_position(box, [&](auto position) { out.values_[next++] = at(position); });
  return out;
}

template <class T>
void Array<T>::assign(const Array& block) {
  size_t next = 0;
  for_each_position(block.bounds_, [&](auto position) { at(position) = block.values_[next++]; });
}

template class Array<double>;
template class Array<int64_t>;

Array64 rounded(Array64 array, DType dtype) {
  for (double& value : array.values()) value = rounded(value, dtype);
  return array;
}

void for_each_position(const Box& box, const std::function<void(std::span<const int64_t>)>& visit) {
  if (empty(box)) return;
  std::vector<int64_t> position(box.size());
  for (size_t i = 0; i < box.size(); ++i) position[i] = box[i].lo;
  while (true) {
    visit(position);
    size_t axis = box.size();
    while (axis > 0) {
      --axis;
      if (++position[axis] < box[axis].hi) break;
      position[axis] = box[axis].lo;
      if (axis == 0) return;
    }
    if (box.empty()) return;
  }
}

template <class T>
void map_lines(
    const Array<T>& from, Array<T>& to, size_t axis,
    const std::type_identity_t<
        std::function<void(std::span<const int64_t> first, std::vector<T>& line)>>& change) {
  if (empty(from.bounds())) return;
  Box firsts = from.bounds();
  const Interval along = firsts[axis];
  firsts[axis].hi = along.lo + 1;
  std::vector<T> line(static_cast<size_t>(along.length()));
  for_each_position(firsts, [&](std::span<const int64_t> first) {
    std::vector<int64_t> at(first.begin(), first.end());
    for (T& value : line) {
      value = from.at(at);
      ++at[axis];
    }
    change(first, line);
    at[axis] = along.lo;
    for (T value : line) {
      to.at(at) = value;
      ++at[axis];
    }
  });
}

using Change = std::function<void(std::span<const int64_t>, std::vector<double>&)>;
using IntegerChange = std::function<void(std::span<const int64_t>, std::vector<int64_t>&)>;
template void map_lines(const Array64&, Array64&, size_t, const Change&);
template void map_lines(const IntegerArray&, IntegerArray&, size_t, const IntegerChange&);

}  // namespace einsummable
