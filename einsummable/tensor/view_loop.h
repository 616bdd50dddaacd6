// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "einsummable/tensor/strided_view.h"

namespace einsummable {

// The largest rank of a tensor, as in NumPy.
inline constexpr int64_t kMaxRank = 32;

// Walks views of one shape together, in row-major order. Axes of extent 1 are dropped and
// neighbouring axes that every view crosses evenly become one, so that dense views have a single
// axis: [8, 1, 4] beside a broadcast [8, 1, 4] with strides (1, 0, 0) is two axes, 8 and 4. There
// is always at least one axis. Allocates nothing: operands lie in `storage`, one a view.
class ViewLoop {
 public:
  struct Operand {
    std::byte* data = nullptr;                   // at the current position
    int64_t element = 0;                         // bytes of an element
    std::array<int64_t, kMaxRank> strides = {};  // in bytes
  };

  // `storage` has an element for every view of `first`, then of `second`.
  ViewLoop(std::span<const StridedView> first, std::span<const StridedView> second,
           std::span<Operand> storage);

  // Whether there is no element.
  bool empty() const { return empty_; }
  int64_t rank() const { return rank_; }
  int64_t extent(int64_t axis) const { return extents_[static_cast<size_t>(axis)]; }
  std::byte* data(size_t view) const { return operands_[view].data; }
  int64_t stride(size_t view, int64_t axis) const {
    return operands_[view].strides[static_cast<size_t>(axis)];
  }

  void swap_axes(int64_t a, int64_t b);

  // Moves to the next position of the first `axes` axes; false, back at the first, after the last.
  bool next(int64_t axes);

 private:
  bool empty_ = false;
  int64_t rank_ = 0;
  std::array<int64_t, kMaxRank> extents_ = {};
  std::array<int64_t, kMaxRank> position_ = {};
  std::span<Operand> operands_;
};

}  // namespace einsummable
