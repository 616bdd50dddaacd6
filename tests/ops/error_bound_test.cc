// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

AllowedValues allowed(const Operator& op, const std::vector<Array64>& inputs,
                      int64_t partials = 1) {
  const std::vector<int64_t> counts(op.outputs().size(), partials);
  return allowed_values(op, inputs, counts)[0];
}

TEST(ErrorBound, OfASumIsHighamsOnTheMagnitudes) {
  const auto sum = operator_of("sum", {f32({4})});
  const AllowedValues one = allowed(*sum, {array({4}, {1000, -1000, 3, 1})});
  EXPECT_EQ(one.expected, (std::vector<double>{4}));
  // (4 additions + 8) u m and a rounding of the result.
  EXPECT_NEAR(one.bound(0), 12 * 0x1p-24 * 2004, 1e-6);
  EXPECT_TRUE(one.hold(0, 4));
  EXPECT_TRUE(one.hold(0, 4.001));
  EXPECT_FALSE(one.hold(0, 4.002));
  EXPECT_FALSE(one.hold(0, kInfinity));
  EXPECT_FALSE(one.hold(0, std::nan("")));
  const AllowedValues eight = allowed(*sum, {array({4}, {1000, -1000, 3, 1})}, 8);
  EXPECT_NEAR(eight.bound(0), 20 * 0x1p-24 * 2004, 1e-6);
}

TEST(ErrorBound, SeesOneProductOfManyThatIsMissing) {
  Random random(3);
  const auto op = operator_of("matmul", {f32({8, 256}), f32({256, 8})});
  const Array64 a = random_reals(random, {8, 256}), b = random_reals(random, {256, 8});
  const AllowedValues all = allowed(*op, {a, b}, 8);
  int64_t seen = 0;
  for (int64_t k = 0; k < 256; ++k) {
    seen += !all.hold(0, all.expected[0] - a.at({0, k}) * b.at({k, 0}));
  }
  EXPECT_GT(seen, 240);
}

TEST(ErrorBound, IsNoneForLayoutIntegersAndExactFunctions) {
  const auto reversed =
      operator_of("transpose", {f32({2, 3})}, {{"axes", std::vector<int64_t>{1, 0}}});
  const AllowedValues moved = allowed(*reversed, {counting({2, 3})});
  EXPECT_EQ(moved.low, moved.high);
  EXPECT_EQ(moved.high, (std::vector<double>{0, 3, 1, 4, 2, 5}));
  const AllowedValues sum = allowed(*operator_of("sum", {i32({3})}), {counting({3})});
  EXPECT_TRUE(sum.hold(0, 3));
  EXPECT_FALSE(sum.hold(0, 4));
  EXPECT_EQ(sum.bound(0), 0);
  const AllowedValues relu = allowed(*operator_of("relu", {f32({2})}), {array({2}, {-1.5, 1.5})});
  EXPECT_EQ(relu.low, (std::vector<double>{0, 1.5}));
  EXPECT_EQ(relu.high, relu.low);
}

TEST(ErrorBound, AllowsAnythingWhereFloat64OrTheDTypeDoNotReach) {
  const auto product = operator_of(
      "multiply", {tensor_type(DType::i64, Shape{1}), tensor_type(DType::i64, Shape{1})});
  const AllowedValues large = allowed(*product, {array({1}, {0x1p60}), array({1}, {3})});
  EXPECT_TRUE(large.hold(0, 0));
  EXPECT_EQ(large.bound(0), kInfinity);
  const auto sum = operator_of("sum", {f32({3})});
  const AllowedValues overflown = allowed(*sum, {array({3}, {3e38, 3e38, -3e38})});
  EXPECT_TRUE(overflown.hold(0, kInfinity));
  EXPECT_TRUE(overflown.hold(0, 3e38));
}

TEST(ErrorBound, ExpectsNaNAndInfinityWhereTheyAre) {
  const auto sum = operator_of("sum", {f32({2, 2})}, {{"axis", std::vector<int64_t>{1}}});
  const AllowedValues values =
      allowed(*sum, {array({2, 2}, {kInfinity, -kInfinity, kInfinity, 1})});
  EXPECT_TRUE(values.hold(0, std::nan("")));
  EXPECT_FALSE(values.hold(0, 0));
  EXPECT_TRUE(values.hold(1, kInfinity));
  EXPECT_FALSE(values.hold(1, 1e38));
  EXPECT_FALSE(values.hold(1, std::nan("")));
}

TEST(ErrorBound, CountsWhatCancelsInsideARow) {
  // In float32, 1000 + d differs from the mean only in its last bits.
  const auto op = operator_of("layer_norm", {f32({1, 4}), f32({4}), f32({4})}, {{"eps", 1e-12}});
  const Array64 x = rounded(array({1, 4}, {1000, 1000.0001, 1000.0002, 1000.0003}), DType::f32);
  const AllowedValues norm =
      allowed(*op, {x, Array64(box_of(Shape{4}), 1), Array64(box_of(Shape{4}))});
  EXPECT_GT(norm.bound(0), 0.1);
  const auto soft = operator_of("log_softmax", {f32({1, 2})}, {{"axis", 1}});
  EXPECT_TRUE(allowed(*soft, {array({1, 2}, {20, 0})}).hold(0, 0));
}

// The reference, rounded to the dtypes of the outputs, is always allowed, for every operator.
TEST(ErrorBound, AllowsTheRoundedReference) {
  for (const OperatorInfo& info : operators()) {
    for (int round = 0; round < rounds(20, 200); ++round) {
      Random random(static_cast<uint64_t>(round));
      const Sample sample = info.sample(random);
      const auto op = make_operator(info, sample.call);
      std::vector<Array64> inputs =
          random_arrays(*op, sample.domains, round % 2 ? Values::reals : Values::special, random);
      for (size_t i = 0; i < inputs.size(); ++i) {
        inputs[i] = rounded(std::move(inputs[i]), op->inputs()[i].dtype);
      }
      const std::vector<int64_t> partials(op->outputs().size(), 2);
      const auto all = allowed_values(*op, inputs, partials);
      for (size_t o = 0; o < all.size(); ++o) {
        for (size_t i = 0; i < all[o].expected.size(); ++i) {
          const double value = rounded(all[o].expected[i], op->outputs()[o].dtype);
          ASSERT_TRUE(all[o].hold(i, value) || std::isnan(all[o].expected[i]))
              << info.name << ", round " << round << ": " << value << " not in " << all[o].low[i]
              << " to " << all[o].high[i];
        }
      }
    }
  }
}

}  // namespace
}  // namespace einsummable
