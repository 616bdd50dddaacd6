// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "einsummable/ops/functions.h"

namespace einsummable::cpu {

// Applies a scalar function to `count` operands that lie densely, at any alignment: x, y and z, of
// which those beyond the arity are not read, into `out`, which may be one of them. `a` is the
// function's parameter.
using ApplyKernel = void (*)(const void* x, const void* y, const void* z, void* out, size_t count,
                             double a);

// The kernel of `id` over C++ operands of the type `dtype` computes in: float for float16 and
// bfloat16 (whoever calls it rounds), int32_t, int64_t, and uint8_t 0 or 1 for bool. A boolean
// result is uint8_t 0 or 1. Chosen for the processor that runs.
ApplyKernel apply_kernel(FunctionId id, DType dtype);

}  // namespace einsummable::cpu
