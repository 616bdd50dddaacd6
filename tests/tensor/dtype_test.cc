// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/rounds.h"

namespace einsummable {
namespace {

double through(DType dtype, double value) {
  std::array<std::byte, 8> element;
  store_element(dtype, element.data(), value);
  return load_element(dtype, element.data());
}

// A 16-bit float by its definition: sign, exponent, fraction.
double by_definition(uint16_t bits, int fraction_bits, int bias) {
  const int exponent_bits = 15 - fraction_bits;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  }
  const double scaled = exponent ? fraction + (1 << fraction_bits) : fraction;
  return sign * std::ldexp(scaled, std::max(exponent, 1) - bias - fraction_bits);
}

struct Half {
  DType dtype;
  int fraction_bits, bias;
  float (*from)(uint16_t);
  uint16_t (*to)(float);
};
constexpr std::array<Half, 2> kHalves = {{{DType::f16, 10, 15, from_float16, to_float16},
                                          {DType::bf16, 7, 127, from_bfloat16, to_bfloat16}}};

TEST(Integers, AreLoadedAsTheyAreAndWrapWhenStored) {
  const auto stored = [](DType dtype, int64_t value) {
    std::array<std::byte, 8> element;
    store_integer(dtype, element.data(), value);
    return load_integer(dtype, element.data());
  };
  constexpr int64_t large = (int64_t{1} << 60) + 3;
  EXPECT_EQ(stored(DType::i64, large), large);
  EXPECT_EQ(stored(DType::i32, large), 3);
  EXPECT_EQ(stored(DType::i32, int64_t{1} << 31), -(int64_t{1} << 31));
  EXPECT_EQ(stored(DType::boolean, large), 1);
  EXPECT_EQ(stored(DType::boolean, 0), 0);
}

TEST(Halves, AllBitPatternsAreWhatTheyMeanAndComeBack) {
  for (const Half& half : kHalves) {
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      const auto pattern = static_cast<uint16_t>(bits);
      const float value = half.from(pattern);
      const double meant = by_definition(pattern, half.fraction_bits, half.bias);
      if (std::isnan(meant)) {
        ASSERT_TRUE(std::isnan(value) && std::isnan(half.from(half.to(value)))) << bits;
        continue;
      }
      ASSERT_EQ(value, meant) << bits;
      ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
      ASSERT_EQ(half.to(value), pattern) << bits;
    }
  }
}

// Rounding, exactly between neighbours and on both sides of that, in double and in float.
TEST(Halves, RoundToNearestEven) {
  for (const Half& half : kHalves) {
    const auto infinity = half.to(std::numeric_limits<float>::infinity());
    for (uint16_t bits = 0; bits < infinity; ++bits) {
      const double low = half.from(bits);
      // Above the largest number a power of two would follow.
      const auto next = static_cast<uint16_t>(bits + 1);
      const double high =
          next == infinity ? 2 * low - half.from(static_cast<uint16_t>(bits - 1)) : half.from(next);
      const double middle = low + (high - low) / 2;
      const double even = half.from(bits % 2 ? next : bits);
      const double below = std::nextafter(middle, low), above = std::nextafter(middle, high);
      ASSERT_EQ(through(half.dtype, middle), even) << bits;
      ASSERT_EQ(through(half.dtype, below), low) << bits;
      ASSERT_EQ(through(half.dtype, above), half.from(next)) << bits;
      ASSERT_EQ(through(half.dtype, -above), -half.from(next)) << bits;
      const auto as_float = static_cast<float>(middle);
      ASSERT_EQ(half.from(half.to(as_float)), even) << bits;
      const float to_zero = std::nextafter(as_float, 0.0f);
      ASSERT_EQ(half.from(half.to(to_zero)), low) << bits;
    }
  }
}

TEST(Elements, SaturateTruncateAndKeepNaN) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    EXPECT_TRUE(std::isnan(through(dtype, nan)));
    EXPECT_EQ(through(dtype, -infinity), -infinity);
    EXPECT_TRUE(std::signbit(through(dtype, -0.0)));
  }
  EXPECT_EQ(through(DType::f32, 1e300), infinity);
  EXPECT_EQ(through(DType::f16, 65519.999), 65504);
  EXPECT_EQ(through(DType::f16, 65520), infinity);
  EXPECT_EQ(through(DType::i32, -2.9), -2);
  EXPECT_EQ(through(DType::i32, 1e10), 2147483647);
  EXPECT_EQ(through(DType::i32, -infinity), -2147483648.0);
  EXPECT_EQ(through(DType::i64, infinity), 0x1p63);
  EXPECT_EQ(through(DType::i64, nan), 0);
  EXPECT_EQ(through(DType::boolean, 0.5), 1);
  EXPECT_EQ(through(DType::boolean, 0), 0);
}

TEST(DTypes, HaveNames) {
  for (DType dtype : kAllDTypes) {
    EXPECT_EQ(dtype_from_name(short_name(dtype)), dtype);
    EXPECT_EQ(dtype_from_name(long_name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("float"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(Promotion, IsCommutativeIdempotentAndAsTheArrayApiSays) {
  for (DType a : kAllDTypes) {
    EXPECT_EQ(promote(a, a), a);
    for (DType b : kAllDTypes) {
      EXPECT_EQ(promote(a, b), promote(b, a));
      EXPECT_EQ(is_float(promote(a, b)), is_float(a) || is_float(b));
      EXPECT_GE(size_of(promote(a, b)), is_float(a) == is_float(b) ? size_of(a) : 0);
    }
  }
  EXPECT_EQ(promote(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(promote(DType::f16, DType::i64), DType::f16);
  EXPECT_EQ(promote(DType::i32, DType::i64), DType::i64);
  EXPECT_EQ(promote(DType::boolean, DType::i32), DType::i32);
  EXPECT_EQ(accumulation(DType::bf16), DType::f32);
  EXPECT_EQ(accumulation(DType::boolean), DType::i64);
  EXPECT_EQ(floating(DType::i64), DType::f32);
}

}  // namespace
}  // namespace einsummable
