// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

double at(FunctionId id, double x, double y = 0, double z = 0) {
  return evaluate(id, scalar_function(id).parameter.value_or(0), x, y, z);
}

std::optional<DType> operands_of(FunctionId id, std::vector<DType> dtypes) {
  return operand_dtype(id, dtypes);
}

TEST(Functions, NamesFindTheirFunctions) {
  for (const ScalarFunction& function : scalar_functions()) {
    EXPECT_EQ(find_function(function.name), function.id);
    EXPECT_EQ(&scalar_function(function.id), &function);
    EXPECT_GE(function.arity, 1);
    EXPECT_LE(function.arity, 3);
    EXPECT_FALSE(function.doc.empty());
  }
  EXPECT_EQ(find_function("nonsense"), std::nullopt);
  EXPECT_EQ(scalar_function(FunctionId::silu).expression, "x / (1 + exp(-x))");
}

TEST(Functions, AreSortedByArityAndName) {
  const auto functions = scalar_functions();
  for (size_t i = 1; i < functions.size(); ++i) {
    const auto& a = functions[i - 1];
    const auto& b = functions[i];
    EXPECT_TRUE(a.arity < b.arity || (a.arity == b.arity && a.name < b.name)) << b.name;
  }
}

TEST(Functions, DtypesFollowTheArrayApi) {
  using D = DType;
  EXPECT_EQ(operands_of(FunctionId::add, {D::i32, D::f16}), D::f16);
  EXPECT_EQ(operands_of(FunctionId::divide, {D::i32, D::i64}), D::f32);
  EXPECT_EQ(operands_of(FunctionId::exp, {D::boolean}), D::f32);
  EXPECT_EQ(operands_of(FunctionId::subtract, {D::boolean, D::boolean}), std::nullopt);
  EXPECT_EQ(operands_of(FunctionId::where, {D::f64, D::i32, D::f16}), D::f16);
  EXPECT_EQ(result_dtype(FunctionId::less, D::f64), D::boolean);
  EXPECT_EQ(result_dtype(FunctionId::multiply, D::bf16), D::bf16);
  EXPECT_THROW(result_dtype(FunctionId::exp, D::i32), InternalError);
  EXPECT_THROW(operands_of(FunctionId::add, {D::i32}), InternalError);
}

TEST(Functions, KnownValues) {
  EXPECT_NEAR(at(FunctionId::gelu, 1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(at(FunctionId::gelu_tanh, 1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(at(FunctionId::silu, 1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(at(FunctionId::softplus, 1), 1.3132616875182228, 1e-15);
  EXPECT_EQ(at(FunctionId::softplus, 1000), 1000);
  EXPECT_NEAR(at(FunctionId::elu, -1), -0.6321205588285577, 1e-15);
  EXPECT_EQ(at(FunctionId::leaky_relu, -1), -0.01);
  EXPECT_EQ(at(FunctionId::rsqrt, 4), 0.5);
  EXPECT_EQ(at(FunctionId::pow, 3), 9);
  EXPECT_EQ(at(FunctionId::round, 2.5), 2);
  EXPECT_EQ(at(FunctionId::round, -3.5), -4);
  EXPECT_EQ(at(FunctionId::sign, -7), -1);
  EXPECT_EQ(at(FunctionId::arctan2, 1, -1), std::atan2(1, -1));
  EXPECT_EQ(at(FunctionId::clip, 5, -1, 1), 1);
  EXPECT_EQ(at(FunctionId::where, kNaN, 2, 3), 2);
  EXPECT_EQ(at(FunctionId::where, 0, 2, 3), 3);
}

TEST(Functions, ReluHasASlopeAndKeepsNaN) {
  EXPECT_EQ(at(FunctionId::relu, -kInfinity), 0);
  EXPECT_EQ(at(FunctionId::relu, kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(at(FunctionId::relu, kNaN)));
  EXPECT_EQ(evaluate(FunctionId::relu, 0.25, -8), -2);
  EXPECT_EQ(evaluate(FunctionId::relu, 0.25, -kInfinity), -kInfinity);
  EXPECT_EQ(evaluate_integer(FunctionId::relu, 0, -8), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::relu, 3, -8), -24);
}

TEST(Functions, NaNWinsInMaximumMinimumAndClip) {
  for (double other : {0.0, 1.0, kInfinity, -kInfinity, kNaN}) {
    for (FunctionId id : {FunctionId::maximum, FunctionId::minimum}) {
      EXPECT_TRUE(std::isnan(at(id, kNaN, other)));
      EXPECT_TRUE(std::isnan(at(id, other, kNaN)));
    }
    EXPECT_TRUE(std::isnan(at(FunctionId::clip, kNaN, other, other)));
    EXPECT_TRUE(std::isnan(at(FunctionId::clip, other, kNaN, 1)));
    EXPECT_TRUE(std::isnan(at(FunctionId::clip, other, -1, kNaN)));
  }
}

TEST(Functions, DivisionRoundsDownAndTheRemainderHasTheSignOfTheDivisor) {
  for (double x : {7.0, -7.0, 6.0, -6.0, 0.0, 7.5, -0.5}) {
    for (double y : {2.0, -2.0, 0.75, -0.1}) {
      const double r = at(FunctionId::remainder, x, y), q = at(FunctionId::floor_divide, x, y);
      EXPECT_TRUE(y > 0 ? 0 <= r && r < y : y < r && r <= 0) << x << " " << y << " " << r;
      EXPECT_NEAR(q * y + r, x, 1e-14);
      EXPECT_EQ(std::signbit(r), std::signbit(y));
    }
  }
  EXPECT_EQ(at(FunctionId::remainder, -1, kInfinity), kInfinity);
  EXPECT_EQ(at(FunctionId::floor_divide, -1, kInfinity), -1);
  EXPECT_EQ(at(FunctionId::floor_divide, 1, 0), kInfinity);
  EXPECT_TRUE(std::isnan(at(FunctionId::remainder, 1, 0)));
  EXPECT_TRUE(std::isnan(at(FunctionId::floor_divide, 0, 0)));
}

TEST(Functions, IntegersAreExactAndWrap) {
  const int64_t big = (int64_t{1} << 62) + 1;
  EXPECT_EQ(evaluate_integer(FunctionId::add, 0, big, 2), big + 2);
  EXPECT_EQ(evaluate_integer(FunctionId::add, 0, kMost, 1), kLeast);
  EXPECT_EQ(evaluate_integer(FunctionId::subtract, 0, big, 1), int64_t{1} << 62);
  EXPECT_EQ(evaluate_integer(FunctionId::multiply, 0, big, 4), 4);
  EXPECT_EQ(evaluate_integer(FunctionId::neg, 0, kLeast), kLeast);
  EXPECT_EQ(evaluate_integer(FunctionId::abs, 0, kLeast), kLeast);
  EXPECT_EQ(evaluate_integer(FunctionId::square, 0, int64_t{1} << 32), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::power, 0, 3, 39), 4052555153018976267);
  EXPECT_EQ(evaluate_integer(FunctionId::power, 0, -1, -3), -1);
  EXPECT_EQ(evaluate_integer(FunctionId::power, 0, 2, -1), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::pow, 3, -5), -125);
  EXPECT_EQ(evaluate_integer(FunctionId::floor_divide, 0, kLeast, -1), kLeast);
  EXPECT_EQ(evaluate_integer(FunctionId::remainder, 0, kLeast, -1), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::floor_divide, 0, -7, 2), -4);
  EXPECT_EQ(evaluate_integer(FunctionId::remainder, 0, -7, 2), 1);
  EXPECT_EQ(evaluate_integer(FunctionId::floor_divide, 0, 5, 0), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::remainder, 0, 5, 0), 0);
  EXPECT_EQ(evaluate_integer(FunctionId::isfinite, 0, 5), 1);
  EXPECT_THROW(evaluate_integer(FunctionId::exp, 0, 1), InternalError);
}

TEST(Functions, EvaluateAsWrapsToTheDtype) {
  EXPECT_EQ(evaluate_as(FunctionId::add, DType::i32, 0.0, 0x7fffffff, 1), -0x1p31);
  EXPECT_EQ(evaluate_as(FunctionId::add, DType::boolean, 0.0, 1, 1), 1);
  EXPECT_EQ(evaluate_as(FunctionId::multiply, DType::boolean, 0.0, 1, 0), 0);
  EXPECT_EQ(evaluate_as(FunctionId::less, DType::i64, 0.0, 1, 2), 1);
  EXPECT_EQ(evaluate_as(FunctionId::floor_divide, DType::i64, 0.0, 1, 0), 0);
  EXPECT_EQ(evaluate_as(FunctionId::floor_divide, DType::f32, 0.0, 1, 0), kInfinity);
  constexpr int64_t large = (int64_t{1} << 60) + 1, zero = 0;
  EXPECT_EQ(evaluate_as(FunctionId::add, DType::i64, zero, large, large), 2 * large);
  EXPECT_EQ(evaluate_as(FunctionId::add, DType::i32, zero, large, large), 2);
  EXPECT_EQ(evaluate_as(FunctionId::less, DType::i64, zero, large - 1, large), 1);
}

// Integers small enough to be exact in float64 are one function, whichever way it is evaluated.
TEST(Functions, IntegerAndFloatEvaluationAgreeOnSmallIntegers) {
  for (const ScalarFunction& function : scalar_functions()) {
    if (function.result == Result::floating) continue;
    for (int x = -5; x <= 5; ++x) {
      for (int y = -5; y <= 5; ++y) {
        const bool fraction = function.id == FunctionId::power && y < 0;
        const bool by_zero = y == 0 && (function.id == FunctionId::floor_divide ||
                                        function.id == FunctionId::remainder);
        if (fraction || by_zero) continue;
        const double a = function.parameter.value_or(0);
        const int64_t exact = evaluate_integer(function.id, static_cast<int64_t>(a), x, y, 2);
        EXPECT_EQ(evaluate(function.id, a, x, y, 2), static_cast<double>(exact))
            << function.name << " " << x << " " << y;
      }
    }
  }
}

}  // namespace
}  // namespace einsummable
