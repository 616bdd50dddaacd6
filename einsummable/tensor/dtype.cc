// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

struct Names {
  std::string_view brief, full;
  int64_t bytes;
};

constexpr std::array<Names, 7> kNames = {{{"f32", "float32", 4},
                                          {"f64", "float64", 8},
                                          {"f16", "float16", 2},
                                          {"bf16", "bfloat16", 2},
                                          {"i32", "int32", 4},
                                          {"i64", "int64", 8},
                                          {"bool", "bool", 1}}};

const Names& names(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

template <class T, class As = double>
As load_as(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<As>(value);
}

template <class T>
void store_as(void* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

template <class T>
T saturate(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
    return std::numeric_limits<T>::min();
  }
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
    return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

// Rounds a double to the nearest float such that a second rounding to fewer bits is still correct:
// round to odd.
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || static_cast<double>(nearest) == value) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  if (bits & 1) return nearest;
  const bool away = std::abs(static_cast<double>(nearest)) < std::abs(value);
  return std::bit_cast<float>(away ? bits + 1 : bits - 1);
}

}  // namespace

std::string_view short_name(DType dtype) { return names(dtype).brief; }
std::string_view long_name(DType dtype) { return names(dtype).full; }
int64_t size_of(DType dtype) { return names(dtype).bytes; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (DType dtype : kAllDTypes) {
    if (name == names(dtype).brief || name == names(dtype).full) return dtype;
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (!is_float(a)) return DType::i64;
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  return DType::f32;
}

DType promote(std::span<const DType> dtypes) {
  ensure(!dtypes.empty(), "promotion of no dtypes");
  DType result = dtypes[0];
  for (DType dtype : dtypes) result = promote(result, dtype);
  return result;
}

DType accumulation(DType dtype) {
  if (dtype == DType::f16 || dtype == DType::bf16) return DType::f32;
  if (dtype == DType::i32 || dtype == DType::boolean) return DType::i64;
  return dtype;
}

uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 aligns the mantissa so that the float addition does the rounding.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float from_float16(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 31u;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

double load_element(DType dtype, const void* address) {
  switch (dtype) {
    case DType::f32:
      return load_as<float>(address);
    case DType::f64:
      return load_as<double>(address);
    case DType::i32:
      return load_as<int32_t>(address);
    case DType::i64:
      return load_as<int64_t>(address);
    case DType::boolean:
      return load_as<uint8_t>(address) != 0 ? 1 : 0;
    case DType::f16:
    case DType::bf16: {
      uint16_t bits;
      std::memcpy(&bits, address, sizeof bits);
      return dtype == DType::f16 ? from_float16(bits) : from_bfloat16(bits);
    }
  }
  throw InternalError("unknown dtype");
}

int64_t load_integer(DType dtype, const void* address) {
  if (dtype == DType::i64) return load_as<int64_t, int64_t>(address);
  ensure(!is_float(dtype), "an integer of a float dtype");
  return static_cast<int64_t>(load_element(dtype, address));
}

void store_integer(DType dtype, void* address, int64_t value) {
  if (dtype == DType::i64) return store_as(address, value);
  if (dtype == DType::i32) return store_as(address, static_cast<int32_t>(value));
  ensure(dtype == DType::boolean, "an integer of a float dtype");
  store_as(address, static_cast<uint8_t>(value != 0));
}

void store_element(DType dtype, void* address, double value) {
  switch (dtype) {
    case DType::f32:
      return store_as(address, static_cast<float>(value));
    case DType::f64:
      return store_as(address, value);
    case DType::i32:
      return store_as(address, saturate<int32_t>(value));
    case DType::i64:
      return store_as(address, saturate<int64_t>(value));
    case DType::boolean:
      return store_as(address, static_cast<uint8_t>(value != 0));
    case DType::f16:
      return store_as(address, to_float16(round_to_odd(value)));
    case DType::bf16:
      return store_as(address, to_bfloat16(round_to_odd(value)));
  }
  throw InternalError("unknown dtype");
}

double rounded(double value, DType dtype) {
  std::array<std::byte, 8> bytes;
  store_element(dtype, bytes.data(), value);
  return load_element(dtype, bytes.data());
}

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::f32:
      return 0x1p-24;
    default:
      return 0x1p-53;
  }
}

}  // namespace einsummable
