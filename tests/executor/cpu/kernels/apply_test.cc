// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/apply.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "einsummable/base/error.h"
#include "einsummable/ops/range.h"
#include "hwy/highway.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

// Every instruction set that kernels are compiled for and this processor has.
std::vector<int64_t> targets() {
  std::vector<int64_t> result;
  for (int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}, int64_t{HWY_STATIC_TARGET}}) {
    if (hwy::SupportedTargets() & target) result.push_back(target);
  }
  return result;
}

// Runs `test` with each instruction set.
template <class Test>
void on_each_target(Test&& test) {
  for (int64_t target : targets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Zeros, infinities, NaN, the ends of the range, subnormals, halves, and numbers of every exponent.
template <class F>
std::vector<F> hard_values(std::mt19937_64& random, int of_each_exponent) {
  using Limits = std::numeric_limits<F>;
  std::vector<F> values = {0,
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           1,
                           0.5,
                           1.5,
                           2.5,
                           3.5,
                           F(0.99999994),
                           F(3.14159265),
                           F(1.57079633),
                           F(17),
                           F(25),
                           F(88.72284),
                           F(89.5),
                           F(103.97),
                           F(104.2),
                           F(709.78),
                           F(745.2),
                           F(8388609.5)};
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < Limits::max_exponent;
       ++exponent) {
    std::uniform_real_distribution<F> mantissa(1, 2);
    for (int i = 0; i < of_each_exponent; ++i) {
      values.push_back(std::ldexp(mantissa(random), exponent));
    }
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

template <class F>
constexpr DType kDType = std::is_same_v<F, float> ? DType::f32 : DType::f64;

template <class F>
struct Samples {
  std::vector<F> x, y, z;
};

// Of a unary function every value, else pairs and triples.
template <class F>
Samples<F> samples(int arity, std::mt19937_64& random) {
  Samples<F> result;
  if (arity == 1) {
    result.x = hard_values<F>(random, rounds(30, 600) / (sizeof(F) == 8 ? 4 : 1));
    result.y = result.z = result.x;
    return result;
  }
  const std::vector<F> values = hard_values<F>(random, 1);
  const size_t some = 46;  // those that are listed, of both signs, come to this many
  for (size_t i = 0; i < static_cast<size_t>(rounds(10000, 100000)); ++i) {
    const auto any = [&] {
      const size_t listed = random() % some;
      if (random() % 2 == 0) return values[random() % values.size()];
      return listed < some / 2 ? values[listed] : -values[listed - some / 2];
    };
    result.x.push_back(any());
    result.y.push_back(random() % 8 == 0 ? result.x.back() : any());
    result.z.push_back(any());
  }
  return result;
}

template <class F, FunctionId id>
void expect_in_range(const Samples<F>& in, const std::vector<double>& parameters) {
  const ScalarFunction& function = scalar_function(id);
  const size_t n = in.x.size();
  for (double a : parameters) {
    if constexpr (FunctionBody<id>::result == Result::boolean) {
      std::vector<uint8_t> out(n);
      apply_kernel(id, kDType<F>)(in.x.data(), in.y.data(), in.z.data(), out.data(), n, a);
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(double(out[i]), evaluate(id, a, in.x[i], in.y[i], in.z[i]))
            << function.name << "(" << in.x[i] << ", " << in.y[i] << ")";
      }
    } else {
      std::vector<F> out(n);
      apply_kernel(id, kDType<F>)(in.x.data(), in.y.data(), in.z.data(), out.data(), n, a);
      for (size_t i = 0; i < n; ++i) {
        const Range<F> range =
            FunctionBody<id>::template evaluate<Range<F>>(in.x[i], in.y[i], in.z[i], Range<F>(a));
        ASSERT_TRUE(range.holds(out[i]))
            << function.name << "(" << std::hexfloat << in.x[i] << ", " << in.y[i] << ", "
            << in.z[i] << ") a " << a << " is " << out[i] << ", not in " << double(range.low) << " "
            << double(range.high) << std::defaultfloat << " i.e. " << in.x[i] << " -> " << out[i];
      }
    }
  }
}

template <class F>
void test_functions() {
  std::mt19937_64 random(7);
  const Samples<F> in[] = {samples<F>(1, random), samples<F>(2, random), samples<F>(3, random)};
#define ES_FUNCTION(name, arity, ...) expect_in_range<F, FunctionId::name>(in[arity - 1], {0});
#define ES_FUNCTION_WITH(name, arity, operands, result, parameter, ...) \
  expect_in_range<F, FunctionId::name>(in[arity - 1], {parameter, 0.5, -3});
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
}

TEST(Apply, Float32FunctionsAreTheirExpressionsRoundedAtEachStep) {
  on_each_target(test_functions<float>);
}

TEST(Apply, Float64FunctionsAreTheirExpressionsRoundedAtEachStep) {
  on_each_target(test_functions<double>);
}

// The result of an element does not depend on where it lies or what lies beside it.
TEST(Apply, AnElementHasTheSameBitsAtEveryPlace) {
  std::mt19937_64 random(3);
  const Samples<float> in = samples<float>(3, random);
  on_each_target([&] {
    for (const ScalarFunction& function : scalar_functions()) {
      const ApplyKernel kernel = apply_kernel(function.id, DType::f32);
      const bool boolean = function.result == Result::boolean;
      const size_t n = 100, size = boolean ? 1 : 4;
      const double a = function.parameter.value_or(0);
      std::vector<uint8_t> whole(n * size), one(size);
      kernel(in.x.data(), in.y.data(), in.z.data(), whole.data(), n, a);
      for (size_t i = 0; i < n; ++i) {
        kernel(&in.x[i], &in.y[i], &in.z[i], one.data(), 1, a);
        const auto there = whole.begin() + std::ptrdiff_t(i * size);
        if (std::equal(one.begin(), one.end(), there)) continue;
        // Which NaN an operation of several gives is the compiler's choice of their order.
        ASSERT_FALSE(boolean) << function.name;
        float a_value, b_value;
        std::memcpy(&a_value, one.data(), size);
        std::memcpy(&b_value, &*there, size);
        ASSERT_TRUE(std::isnan(a_value) && std::isnan(b_value))
            << function.name << " of " << in.x[i] << " is " << a_value << " alone, " << b_value;
      }
    }
  });
}

template <class I>
void expect_exact(const ScalarFunction& function, DType dtype, std::mt19937_64& random) {
  const size_t n = 1001;
  std::vector<I> x(n), y(n), z(n), out(n);
  std::vector<uint8_t> truths(n);
  const auto any = [&](I) -> I {
    switch (random() % 4) {
      case 0:
        return static_cast<I>(random());
      case 1:
        return static_cast<I>((uint64_t{1} << (sizeof(I) * 8 - 2)) + random() % 5 - 2);
      case 2:
        return static_cast<I>((uint64_t{1} << (sizeof(I) * 8 - 1)) + random() % 5 - 2);
      default:
        return static_cast<I>(static_cast<int64_t>(random() % 21) - 10);
    }
  };
  for (auto* values : {&x, &y, &z}) std::ranges::transform(*values, values->begin(), any);
  for (int64_t a : {int64_t{0}, int64_t{2}, int64_t{-3}}) {
    const bool boolean = function.result == Result::boolean;
    apply_kernel(function.id, dtype)(x.data(), y.data(), z.data(),
                                     boolean ? static_cast<void*>(truths.data()) : out.data(), n,
                                     static_cast<double>(a));
    for (size_t i = 0; i < n; ++i) {
      const I expected = static_cast<I>(evaluate_integer(function.id, a, x[i], y[i], z[i]));
      ASSERT_EQ(boolean ? I(truths[i]) : out[i], expected)
          << function.name << "(" << x[i] << ", " << y[i] << ", " << z[i] << ")";
    }
  }
}

TEST(Apply, IntegerFunctionsAreExactAndWrap) {
  std::mt19937_64 random(5);
  on_each_target([&] {
    for (const ScalarFunction& function : scalar_functions()) {
      if (function.result == Result::floating) {
        EXPECT_THROW(apply_kernel(function.id, DType::i32), InternalError);
        continue;
      }
      expect_exact<int32_t>(function, DType::i32, random);
      expect_exact<int64_t>(function, DType::i64, random);
    }
  });
}

TEST(Apply, BoolFunctionsGiveBools) {
  for (const ScalarFunction& function : scalar_functions()) {
    if (function.result == Result::floating || function.operands == einsummable::Operands::numbers)
      continue;
    for (uint8_t bits = 0; bits < 8; ++bits) {
      const uint8_t x = bits & 1, y = (bits >> 1) & 1, z = (bits >> 2) & 1;
      uint8_t out = 7;
      apply_kernel(function.id, DType::boolean)(&x, &y, &z, &out, 1, 0);
      EXPECT_EQ(out, evaluate_integer(function.id, 0, x, y, z) != 0) << function.name;
    }
  }
}

}  // namespace
}  // namespace einsummable::cpu
