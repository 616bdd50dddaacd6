// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "einsummable/base/small_vector.h"

namespace einsummable {

// The half-open range [lo, hi) of positions along an axis.
struct Interval {
  int64_t lo = 0, hi = 0;

  int64_t length() const { return hi - lo; }
  bool empty() const { return hi <= lo; }
  bool contains(Interval other) const {
    return other.empty() || (lo <= other.lo && other.hi <= hi);
  }
  auto operator<=>(const Interval&) const = default;
};

// What lies in both; empty, at a legal position of `a`, if nothing does.
inline Interval intersect(Interval a, Interval b) {
  const int64_t lo = std::clamp(b.lo, a.lo, a.hi);
  return {lo, std::max(lo, std::min(a.hi, b.hi))};
}

using Shape = std::vector<int64_t>;

// One interval an axis: the index set of a projection (Definition 3.5). Rank 0 holds one element.
using Box = SmallVector<Interval, 4>;

Box box_of(std::span<const int64_t> shape);  // [0, extent) along every axis
Shape shape_of(const Box& box);
int64_t elements(const Box& box);  // checked product of lengths
int64_t elements(std::span<const int64_t> shape);
bool empty(const Box& box);                         // has no element
bool contains(const Box& outer, const Box& inner);  // an empty inner box lies in everything
Box intersect(const Box& a, const Box& b);
Box shifted_to(const Box& box,
               const Box& origin);  // box in coordinates relative to origin's corner

// What remains of disjoint boxes without `taken`: disjoint boxes.
//   subtract({[0:4, 0:4]}, [1:2, 0:4]) = {[0:1, 0:4], [2:4, 0:4]}
std::vector<Box> subtract(const std::vector<Box>& from, const Box& taken);

// "[0:128, 64:96]"; "[]" for rank 0.
std::string text(const Box& box);
std::string text(std::span<const int64_t> shape);  // "[128, 32]"
inline std::string text(const Shape& shape) { return text(std::span<const int64_t>(shape)); }

// Strides, in elements, of a row-major array of `shape`.
std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);

}  // namespace einsummable
