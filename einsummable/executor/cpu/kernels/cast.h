// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "einsummable/tensor/dtype.h"

namespace einsummable::cpu {

// Casts `count` elements that lie densely and aligned; `to` may be `from` if both have one size.
// Elements are of the types their dtypes compute in (see apply.h), so float16 is a float that has
// been rounded to it.
//
// Floats round to nearest even, once. A float becomes an integer towards zero, saturates beyond its
// range, and is 0 for NaN. Integers wrap. Bool is whether the element is nonzero (NaN is).
using CastKernel = void (*)(const void* from, void* to, size_t count);

// A copy if elements of both dtypes are the same values.
CastKernel cast_kernel(DType from, DType to);

}  // namespace einsummable::cpu
