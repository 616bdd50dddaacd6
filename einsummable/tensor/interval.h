// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "einsummable/base/checked.h"
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

// One number an axis, of a block: its extents, or its strides.
using PerAxis = SmallVector<int64_t, 4>;

// One interval an axis: the index set of a projection (Definition 3.5). Rank 0 holds one element.
using Box = SmallVector<Interval, 4>;

Box box_of(std::span<const int64_t> shape);  // [0, extent) along every axis
Shape shape_of(const Box& box);
PerAxis extents_of(const Box& box);  // the same, in place
int64_t elements(const Box& box);    // checked product of lengths
int64_t elements(std::span<const int64_t> shape);
bool empty(const Box& box);                         // has no element
bool contains(const Box& outer, const Box& inner);  // an empty inner box lies in everything
bool meet(const Box& a, const Box& b);              // have an element in common
Box intersect(const Box& a, const Box& b);
int64_t common_elements(const Box& a, const Box& b);  // of their intersection, checked
Box shifted_to(const Box& box,
               const Box& origin);  // box in coordinates relative to origin's corner

// Takes `taken` out of disjoint boxes; what remains are disjoint boxes.
//   {[0:4, 0:4]} without [1:2, 0:4]: {[0:1, 0:4], [2:4, 0:4]}
void subtract(std::vector<Box>& boxes, const Box& taken);

// "[0:128, 64:96]"; "[]" for rank 0.
std::string text(const Box& box);
std::string text(std::span<const int64_t> shape);  // "[128, 32]"
inline std::string text(const Shape& shape) { return text(std::span<const int64_t>(shape)); }

// Strides, in elements, of a row-major array of `shape`.
std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);
// Those of an array that holds the box.
PerAxis row_major_strides(const Box& box);

inline bool empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](Interval axis) { return axis.empty(); });
}

inline bool contains(const Box& outer, const Box& inner) {
  ensure(outer.size() == inner.size(), "boxes of different rank");
  for (size_t i = 0; i < outer.size(); ++i) {
    if (!outer[i].contains(inner[i])) return empty(inner);
  }
  return true;
}

inline bool meet(const Box& a, const Box& b) {
  ensure(a.size() == b.size(), "boxes of different rank");
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::max(a[i].lo, b[i].lo) >= std::min(a[i].hi, b[i].hi)) return false;
  }
  return true;
}

inline int64_t common_elements(const Box& a, const Box& b) {
  ensure(a.size() == b.size(), "boxes of different rank");
  int64_t count = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t lo = std::max(a[i].lo, b[i].lo), hi = std::min(a[i].hi, b[i].hi);
    if (hi <= lo) return 0;
    count = checked_multiply(count, hi - lo);
  }
  return count;
}

}  // namespace einsummable
