// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <vector>

#include "einsummable/tensor/dtype.h"
#include "einsummable/tensor/interval.h"

namespace einsummable {

// A block of doubles or int64s, addressed in the coordinates of the whole tensor: what references
// compute on.
//   Array64 a({{0, 2}, {4, 6}});   a.at({1, 5}) = 3;
template <class T>
class Array {
 public:
  Array() : Array(Box{}) {}
  explicit Array(Box bounds, T fill = 0);

  const Box& bounds() const { return bounds_; }
  int64_t rank() const { return static_cast<int64_t>(bounds_.size()); }
  int64_t extent(int64_t axis) const { return bounds_[static_cast<size_t>(axis)].length(); }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  std::vector<T>& values() { return values_; }  // row-major
  const std::vector<T>& values() const { return values_; }
  T& at(std::span<const int64_t> position) { return values_[offset(position)]; }
  T at(std::span<const int64_t> position) const { return values_[offset(position)]; }
  T& at(std::initializer_list<int64_t> p) { return at(std::span(p.begin(), p.size())); }
  T at(std::initializer_list<int64_t> p) const { return at(std::span(p.begin(), p.size())); }

  // The part inside `box`, which must lie within the bounds.
  Array project(const Box& box) const;
  // Overwrites the part inside `block`'s bounds.
  void assign(const Array& block);

 private:
  size_t offset(std::span<const int64_t> position) const;

  Box bounds_;
  std::vector<int64_t> strides_;
  std::vector<T> values_;
};

extern template class Array<double>;
extern template class Array<int64_t>;
using Array64 = Array<double>;
using IntegerArray = Array<int64_t>;

// The array with every value as an element of `dtype` holds it.
Array64 rounded(Array64 array, DType dtype);

// Calls `visit(position)` for every position of `box` in row-major order; once for rank 0.
void for_each_position(const Box& box, const std::function<void(std::span<const int64_t>)>& visit);

// For every line of `from` along `axis`: hands a copy of it to `change`, with the position of its
// first element, and stores what `change` made of it in `to`, which has the same bounds.
template <class T>
void map_lines(
    const Array<T>& from, Array<T>& to, size_t axis,
    const std::type_identity_t<
        std::function<void(std::span<const int64_t> first, std::vector<T>& line)>>& change);

}  // namespace einsummable
