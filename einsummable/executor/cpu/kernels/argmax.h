// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// The integer that stands for a position: origin + the sum of steps[i] * position along axes[i].
struct PositionCode {
  int64_t origin = 0;
  std::span<const int64_t> steps;
};

// The code that stands for no position: any other comes first.
inline constexpr int64_t kNoPosition = int64_t{1} << 62;

// Bytes of workspace that any `argmax` needs.
int64_t argmax_workspace_bytes();

// index = the code of the first position, in row-major order over `axes` (ascending), at which x
// is largest; value, if wanted, = x there. NaN is the largest. Of nothing: kNoPosition and -inf,
// or the least integer. Index and value have the other axes of x, in order.
void argmax(const StridedView& x, std::span<const int64_t> axes, const PositionCode& code,
            const StridedView& index, const std::optional<StridedView>& value,
            std::span<std::byte> workspace);

}  // namespace einsummable::cpu
