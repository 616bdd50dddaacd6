// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "einsummable/base/error.h"

namespace einsummable::cpu {

// More axes than the operands of one kernel have together.
inline constexpr size_t kMaxAxes = 64;

// One axis of a loop over N operands: how many steps, and how far each operand moves a step.
template <size_t N>
struct LoopAxis {
  int64_t extent = 1;
  std::array<int64_t, N> strides{};  // in elements
};

// Nested loops over N strided operands at once, the first axis outermost. Needs no heap.
//   StridedLoop<2> rows;  rows.add(8, {64, 1});  rows.run([&](const auto& at) { y[at[1]] =
//   x[at[0]]; });
template <size_t N>
class StridedLoop {
 public:
  // Adds the next inner axis. One of extent 1 changes nothing.
  void add(int64_t extent, const std::array<int64_t, N>& strides) {
    if (extent == 1) return;
    ensure(size_ < kMaxAxes, "too many axes in one loop");
    axes_[size_++] = {extent, strides};
  }

  std::span<LoopAxis<N>> axes() { return {axes_.data(), size_}; }
  std::span<const LoopAxis<N>> axes() const { return {axes_.data(), size_}; }
  bool empty() const {
    return std::ranges::any_of(axes(), [](const LoopAxis<N>& a) { return a.extent == 0; });
  }
  int64_t steps() const {
    int64_t product = 1;
    for (const LoopAxis<N>& axis : axes()) product *= axis.extent;
    return product;
  }

  // Orders the axes by falling size of operand `which`'s steps, then makes one axis of two
  // wherever all operands step evenly across both.
  void sort_and_merge(size_t which) {
    const auto step = [&](size_t i) { return std::abs(axes_[i].strides[which]); };
    for (size_t i = 1; i < size_; ++i) {  // std::stable_sort would allocate
      for (size_t j = i; j > 0 && step(j - 1) < step(j); --j) std::swap(axes_[j - 1], axes_[j]);
    }
    merge();
  }

  // Makes one axis of two neighbours wherever all operands step evenly across both.
  void merge() {
    size_t kept = 0;
    for (size_t i = 0; i < size_; ++i) {
      if (kept > 0 && mergeable(axes_[kept - 1], axes_[i])) {
        axes_[kept - 1] = {axes_[kept - 1].extent * axes_[i].extent, axes_[i].strides};
      } else {
        axes_[kept++] = axes_[i];
      }
    }
    size_ = kept;
  }

  // Removes the innermost axis and gives it; one of extent 1 if there is none.
  LoopAxis<N> pop_inner() { return size_ == 0 ? LoopAxis<N>{} : axes_[--size_]; }

  // Calls visit(offsets of the operands in elements) for every step, in order.
  template <class Visit>
  void run(Visit&& visit) const {
    if (empty()) return;
    std::array<int64_t, kMaxAxes> position{};
    std::array<int64_t, N> at{};
    while (true) {
      visit(std::as_const(at));
      size_t axis = size_;
      while (true) {
        if (axis == 0) return;
        --axis;
        const LoopAxis<N>& a = axes_[axis];
        if (++position[axis] < a.extent) {
          for (size_t k = 0; k < N; ++k) at[k] += a.strides[k];
          break;
        }
        for (size_t k = 0; k < N; ++k) at[k] -= a.strides[k] * (a.extent - 1);
        position[axis] = 0;
      }
    }
  }

 private:
  static bool mergeable(const LoopAxis<N>& outer, const LoopAxis<N>& inner) {
    for (size_t k = 0; k < N; ++k) {
      if (outer.strides[k] != inner.strides[k] * inner.extent) return false;
    }
    return true;
  }

  std::array<LoopAxis<N>, kMaxAxes> axes_;
  size_t size_ = 0;
};

}  // namespace einsummable::cpu
