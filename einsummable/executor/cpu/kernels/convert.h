// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "einsummable/tensor/dtype.h"

namespace einsummable::cpu {

// The dtype in which C++ type T computes.
template <class T>
inline constexpr DType kDTypeOf = DType::f32;
template <>
inline constexpr DType kDTypeOf<double> = DType::f64;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::i64;

// Reads `n` elements of `dtype` that lie `stride` elements apart, as T: float, double or int64_t.
// Floats become integers towards zero; bool is 0 or 1.
template <class T>
void load_row(DType dtype, const std::byte* source, int64_t stride, int64_t n, T* to);

// Writes `n` values as elements of `dtype` that lie `stride` elements apart. Floats round to
// nearest even, integers wrap, a float that leaves the range of an integer saturates, and bool is
// whether the value is nonzero.
template <class T>
void store_row(const T* from, int64_t n, DType dtype, std::byte* target, int64_t stride);

}  // namespace einsummable::cpu
