// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

enum class Reduction : uint8_t {
  sum,
  prod,
  max,          // NaN wins; -inf or the least integer of nothing
  min,          // NaN wins; inf or the greatest integer of nothing
  any,          // whether any element is nonzero
  all,          // whether all elements are nonzero
  log_sum_exp,  // -inf of nothing
};

// Bytes of workspace that `reduce` of the same arguments needs.
int64_t reduce_workspace_bytes(Reduction reduction, const StridedView& x,
                               std::span<const int64_t> axes, const StridedView& y);

// y = `scale` times the reduction of x over `axes` (ascending); y has the other axes, in order.
// Floats are accumulated in float64; integers and bools exactly in int64, which wraps.
void reduce(Reduction reduction, const StridedView& x, std::span<const int64_t> axes, double scale,
            const StridedView& y, std::span<std::byte> workspace);

}  // namespace einsummable::cpu
