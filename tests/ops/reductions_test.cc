// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "einsummable/ops/reduced_axes.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> reduce(std::string_view name, const Array64& x, Attributes attributes = {}) {
  const auto op = operator_of(name, {f32(shape_of(x.bounds()))}, std::move(attributes));
  return whole_reference(*op, {x})[0].values();
}

DType dtype_of(std::string_view name, DType dtype) {
  return operator_of(name, {tensor_type(dtype, Shape{2})})->outputs()[0].dtype;
}

TEST(Reductions, ReduceOneAxisSeveralOrAll) {
  const Array64 x = array({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(reduce("sum", x), (std::vector<double>{21}));
  EXPECT_EQ(reduce("sum", x, {{"axis", int64_t{0}}}), (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(reduce("sum", x, {{"axis", int64_t{-1}}}), (std::vector<double>{6, 15}));
  EXPECT_EQ(reduce("prod", x, {{"axis", std::vector<int64_t>{1, -2}}}), (std::vector<double>{720}));
  EXPECT_EQ(reduce("max", x, {{"axis", std::vector<int64_t>{}}}), x.values());
  EXPECT_EQ(reduce("min", x, {{"axis", int64_t{1}}}), (std::vector<double>{1, 4}));
  EXPECT_EQ(reduce("mean", x, {{"axis", int64_t{1}}}), (std::vector<double>{2, 5}));
}

TEST(Reductions, KeepTheirAxesIfAsked) {
  const auto op = operator_of("sum", {f32({2, 3, 4})}, {{"axis", int64_t{1}}, {"keepdims", true}});
  EXPECT_EQ(op->outputs()[0], f32({2, 1, 4}));
  EXPECT_EQ(text(op->signatures()[0]), "i0 i1 i2 -> i0 1 i2");
  EXPECT_EQ(text(operator_of("max", {f32({2, 3})}, {{"axis", int64_t{0}}})->signatures()[0]),
            "i0 i1 -> i1");
}

TEST(Reductions, OverNothing) {
  const Array64 nothing = array({0}, {});
  EXPECT_EQ(reduce("sum", nothing), (std::vector<double>{0}));
  EXPECT_EQ(reduce("prod", nothing), (std::vector<double>{1}));
  EXPECT_EQ(reduce("any", nothing), (std::vector<double>{0}));
  EXPECT_EQ(reduce("all", nothing), (std::vector<double>{1}));
  EXPECT_EQ(reduce("logsumexp", nothing), (std::vector<double>{-kInfinity}));
  EXPECT_TRUE(std::isnan(reduce("mean", nothing)[0]));
  for (const std::string name : {"max", "min", "argmax"}) {
    const std::string message = name + " over nothing has no value; a reduced axis has extent 0";
    EXPECT_EQ(refusal(name, {f32({0})}), message);
    EXPECT_EQ(refusal(name, {f32({0, 3})}, {{"axis", int64_t{0}}}), message);
    EXPECT_EQ(refusal(name, {f32({0, 3})}, {{"axis", int64_t{1}}}), "");
  }
}

TEST(Reductions, NaNWinsInMaxAndMin) {
  for (const std::vector<double>& values :
       {std::vector<double>{kNaN, 1, 2}, {1, kNaN, 2}, {1, 2, kNaN}}) {
    for (const char* name : {"max", "min", "sum", "logsumexp"}) {
      EXPECT_TRUE(std::isnan(reduce(name, array({3}, values))[0])) << name;
    }
    EXPECT_EQ(reduce("any", array({3}, values)), (std::vector<double>{1}));
    EXPECT_EQ(reduce("all", array({3}, values)), (std::vector<double>{1}));
  }
}

TEST(Reductions, LogsumexpDoesNotOverflow) {
  EXPECT_NEAR(reduce("logsumexp", array({2}, {1000, 1000}))[0], 1000 + std::log(2), 1e-12);
  EXPECT_EQ(reduce("logsumexp", array({2}, {-kInfinity, -kInfinity}))[0], -kInfinity);
  EXPECT_EQ(reduce("logsumexp", array({2}, {kInfinity, 1}))[0], kInfinity);
}

TEST(Reductions, DtypesOfResultsAndPartials) {
  for (const char* name : {"sum", "prod"}) {
    EXPECT_EQ(dtype_of(name, DType::i32), DType::i64);
    EXPECT_EQ(dtype_of(name, DType::boolean), DType::i64);
    EXPECT_EQ(dtype_of(name, DType::f16), DType::f16);
  }
  EXPECT_EQ(dtype_of("max", DType::i32), DType::i32);
  EXPECT_EQ(dtype_of("any", DType::bf16), DType::boolean);
  EXPECT_EQ(dtype_of("argmax", DType::f16), DType::i64);
  const TensorType half = tensor_type(DType::f16, Shape{8});
  EXPECT_EQ(operator_of("sum", {half})->partial(0).components[0].dtype, DType::f32);
  EXPECT_EQ(operator_of("max", {half})->partial(0).components[0].dtype, DType::f16);
  EXPECT_EQ(operator_of("mean", {half})->partial(0).scale, 0.125);
  const TensorType ints[] = {i32({8})};
  EXPECT_EQ(promoted_dtypes(*find_operator("mean"), ints), (std::vector<DType>{DType::f32}));
  EXPECT_EQ(promoted_dtypes(*find_operator("sum"), ints), (std::vector<DType>{DType::i32}));
}

TEST(Reductions, SayWhatWouldBeLegal) {
  EXPECT_EQ(refusal("sum", {f32({2, 3})}, {{"axis", int64_t{2}}}),
            "axis 2 must be at least -2 and less than 2");
  EXPECT_EQ(refusal("sum", {f32({2, 3})}, {{"axis", std::vector<int64_t>{1, -1}}}),
            "an axis is given twice");
  EXPECT_EQ(refusal("sum", {f32({2, 3})}, {{"axis", 0.5}}),
            "the attribute 'axis' must be a list of integers");
  EXPECT_EQ(refusal("argmax", {f32({2, 3})}, {{"axis", std::vector<int64_t>{0, 1}}}),
            "axis must be one axis, or none for the position among all elements");
}

TEST(Argmax, TakesTheFirstOfEqualsAndNaNAsTheLargest) {
  EXPECT_EQ(reduce("argmax", array({4}, {1, 3, 3, 2})), (std::vector<double>{1}));
  EXPECT_EQ(reduce("argmax", array({4}, {1, kNaN, 3, kNaN})), (std::vector<double>{1}));
  EXPECT_EQ(reduce("argmax", array({2}, {-kInfinity, -kInfinity})), (std::vector<double>{0}));
  const Array64 x = array({2, 3}, {1, 9, 2, 9, 0, 3});
  EXPECT_EQ(reduce("argmax", x), (std::vector<double>{1}));
  EXPECT_EQ(reduce("argmax", x, {{"axis", int64_t{0}}}), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(reduce("argmax", x, {{"axis", int64_t{-1}}}), (std::vector<double>{1, 0}));
}

TEST(Argmax, PartialsHoldAPositionInTheWholeTensor) {
  const auto op = operator_of("argmax", {tensor_type(DType::f16, Shape{2, 3})});
  const PartialType partial = op->partial(0);
  EXPECT_EQ(partial.merge, Merge::first_max);
  ASSERT_EQ(partial.components.size(), 2);
  EXPECT_EQ(partial.components[0].dtype, DType::i64);
  EXPECT_EQ(partial.components[1].dtype, DType::f16);
  const Array64 x = array({2, 3}, {1, 2, 9, 4, 9, 9});
  const std::vector<Array64> right = partials_of(*op, {{{{0, 2}, {1, 3}}}, {{}}}, {x});
  EXPECT_EQ(right[0].values(), (std::vector<double>{2}));
  const std::vector<Array64> below = partials_of(*op, {{{{1, 2}, {0, 3}}}, {{}}}, {x});
  EXPECT_EQ(below[0].values(), (std::vector<double>{4}));
}

}  // namespace
}  // namespace einsummable
