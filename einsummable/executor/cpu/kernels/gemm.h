// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cpu/kernels/contraction.h"

namespace einsummable::cpu {

// Bytes of workspace that `gemm` of the same arguments needs.
int64_t gemm_workspace_bytes(const StridedView& a, const StridedView& b, const StridedView& c);

// c[batch.., m, n] (+)= a[batch.., m, k] b[batch.., k, n], of one rank. Any strides: those of a
// transposed operand, or zero along a batch axis that is broadcast. Dtypes as in computed_dtype.
void gemm(const StridedView& a, const StridedView& b, const StridedView& c, Accumulate accumulate,
          std::span<std::byte> workspace);

}  // namespace einsummable::cpu
