// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// What a row x of n elements along the last axis becomes, with sums in float64:
//   rms:    x / sqrt(mean(x^2) + eps) * weight + bias
//   layer:  (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * weight + bias
enum class NormKind : uint8_t { rms, layer };

// The operands of a norm. Weight and bias are [n] and, where absent, ones and zeros.
struct NormBlocks {
  StridedView x;  // [.., n]
  std::optional<StridedView> weight, bias;
  StridedView y;  // [.., n]: the output, which may be x itself
};

// Bytes of workspace that `norm` of the same arguments needs.
int64_t norm_workspace_bytes(const NormBlocks& blocks);

// Normalises every row.
void norm(NormKind kind, double eps, const NormBlocks& blocks, std::span<std::byte> workspace);

}  // namespace einsummable::cpu
