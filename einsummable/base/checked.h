// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "einsummable/base/error.h"

namespace einsummable {

// Arithmetic on sizes, counts and offsets. Sizes come from users and from files, so nothing may
// wrap.

inline std::optional<int64_t> try_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

inline std::optional<int64_t> try_multiply(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// The sum. Throws Error if it does not fit in 64 bits.
inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) throw Error("a size does not fit in 64 bits (addition)");
  return r;
}

// The difference. Throws Error if it does not fit in 64 bits.
inline int64_t checked_subtract(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) throw Error("a size does not fit in 64 bits (subtraction)");
  return r;
}

// The product. Throws Error if it does not fit in 64 bits.
inline int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) {
    throw Error("a size does not fit in 64 bits (multiplication)");
  }
  return r;
}

// The product of all factors; 1 of none. A zero factor gives 0 only if the others' product fits.
inline int64_t checked_product(std::span<const int64_t> factors) {
  int64_t r = 1;
  for (int64_t f : factors) r = checked_multiply(r, f);
  return r;
}

// The least multiple of `unit` (> 0) that is at least `value` (>= 0).
inline int64_t round_up(int64_t value, int64_t unit) {
  return checked_multiply(checked_add(value, unit - 1) / unit, unit);
}

}  // namespace einsummable
