// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

enum class SoftmaxKind : uint8_t { softmax, log_softmax };

// Bytes of workspace that `softmax` of the same arguments needs.
int64_t softmax_workspace_bytes(const StridedView& x, int64_t axis, const StridedView& y);

// y = exp(x - m) / s, or its logarithm (x - m) - log(s), along `axis`, where m is the maximum of x
// and s the sum of exp(x - m); NaN along the whole row if x holds a NaN or inf, or only -inf.
// Arithmetic is in float64 if x or y is, else in float32.
void softmax(SoftmaxKind kind, const StridedView& x, int64_t axis, const StridedView& y,
             std::span<std::byte> workspace);

}  // namespace einsummable::cpu
