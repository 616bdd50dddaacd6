// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace einsummable {

// What one element of a tensor is.
enum class DType : uint8_t { f32, f64, f16, bf16, i32, i64, boolean };

inline constexpr DType kAllDTypes[] = {DType::f32, DType::f64, DType::f16,    DType::bf16,
                                       DType::i32, DType::i64, DType::boolean};

// The short name used in texts: f32, f64, f16, bf16, i32, i64, bool.
std::string_view short_name(DType dtype);

// The name users write: float32, float64, float16, bfloat16, int32, int64, bool.
std::string_view long_name(DType dtype);

// The dtype of either name.
std::optional<DType> dtype_from_name(std::string_view name);

// Bytes of one element.
int64_t size_of(DType dtype);

constexpr bool is_float(DType dtype) { return dtype <= DType::bf16; }

// The dtype two operands meet in, as in the array API: the wider of a kind, the float of an int and
// a float, float32 of float16 and bfloat16, and bool gives way to everything.
DType promote(DType a, DType b);
DType promote(std::span<const DType> dtypes);

// The dtype in which sums of `dtype` are accumulated and partial results travel: float32 for
// float16 and bfloat16, int64 for int32 and bool, itself otherwise.
DType accumulation(DType dtype);

// The dtype of a float function of `dtype`: itself if it is a float, else float32.
constexpr DType floating(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }

// Bit-exact conversions, rounding to nearest even; NaN stays NaN.
uint16_t to_float16(float value);
float from_float16(uint16_t bits);
uint16_t to_bfloat16(float value);
float from_bfloat16(uint16_t bits);

// One element at `address` as a double, and back, rounding to nearest even. A double outside the
// range of an integer dtype saturates; NaN becomes 0.
double load_element(DType dtype, const void* address);
void store_element(DType dtype, void* address, double value);

// The same of an int or bool dtype as an int64, exactly; back, it wraps, and bool is whether the
// value is nonzero.
int64_t load_integer(DType dtype, const void* address);
void store_integer(DType dtype, void* address, int64_t value);

// The value as an element of `dtype` holds it.
double rounded(double value, DType dtype);

// The most that rounding to a float dtype changes a number, as a part of it: half the distance from
// 1 to the next.
double unit_roundoff(DType dtype);

}  // namespace einsummable
