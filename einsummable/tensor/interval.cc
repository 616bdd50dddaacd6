// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/interval.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {

Box box_of(std::span<const int64_t> shape) {
  Box box(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) box[i] = {0, shape[i]};
  return box;
}

Shape shape_of(const Box& box) {
  Shape shape(box.size());
  for (size_t i = 0; i < box.size(); ++i) shape[i] = box[i].length();
  return shape;
}

int64_t elements(const Box& box) {
  int64_t count = 1;
  for (Interval axis : box) count = checked_multiply(count, axis.length());
  return count;
}

int64_t elements(std::span<const int64_t> shape) { return checked_product(shape); }

bool empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](Interval axis) { return axis.empty(); });
}

bool contains(const Box& outer, const Box& inner) {
  ensure(outer.size() == inner.size(), "boxes of different rank");
  if (empty(inner)) return true;
  for (size_t i = 0; i < outer.size(); ++i) {
    if (!outer[i].contains(inner[i])) return false;
  }
  return true;
}

Box intersect(const Box& a, const Box& b) {
  ensure(a.size() == b.size(), "boxes of different rank");
  Box out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = intersect(a[i], b[i]);
  return out;
}

Box shifted_to(const Box& box, const Box& origin) {
  ensure(box.size() == origin.size(), "boxes of different rank");
  Box out(box.size());
  for (size_t i = 0; i < box.size(); ++i) {
    out[i] = {box[i].lo - origin[i].lo, box[i].hi - origin[i].lo};
  }
  return out;
}

std::vector<Box> subtract(const std::vector<Box>& from, const Box& taken) {
  std::vector<Box> out;
  for (const Box& box : from) {
    const Box common = intersect(box, taken);
    if (empty(common)) {
      out.push_back(box);
      continue;
    }
    Box rest = box;
    for (size_t i = 0; i < box.size(); ++i) {
      for (const Interval side :
           {Interval{rest[i].lo, common[i].lo}, Interval{common[i].hi, rest[i].hi}}) {
        if (side.empty()) continue;
        out.push_back(rest);
        out.back()[i] = side;
      }
      rest[i] = common[i];
    }
  }
  return out;
}

std::string text(const Box& box) {
  std::vector<std::string> axes;
  for (Interval axis : box) axes.push_back(std::to_string(axis.lo) + ":" + std::to_string(axis.hi));
  return "[" + join(axes, ", ") + "]";
}

std::string text(std::span<const int64_t> shape) {
  std::vector<std::string> axes;
  for (int64_t extent : shape) axes.push_back(std::to_string(extent));
  return "[" + join(axes, ", ") + "]";
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = checked_multiply(strides[i], std::max<int64_t>(shape[i], 1));
  }
  return strides;
}

}  // namespace einsummable
