// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/ops/elementwise.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Reals = std::vector<double>;

TensorType boolean(const Shape& shape) { return tensor_type(DType::boolean, shape); }

TEST(Elementwise, BroadcastsAsNumPyDoes) {
  const auto op = operator_of("add", {f32({4, 1, 3}), f32({5, 1})});
  EXPECT_EQ(op->outputs()[0], f32({4, 5, 3}));
  EXPECT_EQ(text(op->signatures()[0]), "i0 1 i2, i1 1 -> i0 i1 i2");
  EXPECT_EQ(operator_of("add", {f32({0}), f32({1})})->outputs()[0], f32({0}));
  EXPECT_EQ(operator_of("add", {f32({}), f32({2})})->outputs()[0], f32({2}));
  EXPECT_EQ(
      refusal("add", {f32({4, 3}), f32({2, 3})}),
      "shapes are aligned at the last axis, and extents must agree or be 1; axis -2 has 4 and "
      "2");
}

TEST(Elementwise, ChoosesByABoolCondition) {
  const auto op = operator_of("where", {boolean({2, 1}), f32({3}), f32({})});
  const auto y =
      whole_reference(*op, {array({2, 1}, {1, 0}), array({3}, {1, 2, 3}), array({}, {7})});
  EXPECT_EQ(y[0].values(), (Reals{1, 2, 3, 7, 7, 7}));
  EXPECT_EQ(refusal("where", {f32({2}), f32({2}), f32({2})}),
            "the condition must be bool; condition is float32, compare it with a number");
}

TEST(Elementwise, StatesItsDtypes) {
  EXPECT_EQ(operator_of("less", {i32({2}), i32({2})})->outputs()[0], boolean({2}));
  EXPECT_EQ(refusal("neg", {boolean({2})}), "bool is not a dtype it takes; cast to a number first");
  const OperatorInfo& divide = *find_operator("divide");
  EXPECT_EQ(promoted_dtypes(divide, std::vector{i32({}), tensor_type(DType::f16, Shape{})}),
            (std::vector<DType>{DType::f16, DType::f16}));
  EXPECT_EQ(promoted_dtypes(divide, std::vector{i32({}), boolean({})}),
            (std::vector<DType>{DType::f32, DType::f32}));
  const OperatorInfo& where = *find_operator("where");
  EXPECT_EQ(promoted_dtypes(where, std::vector{boolean({}), i32({}), f32({})}),
            (std::vector<DType>{DType::boolean, DType::f32, DType::f32}));
}

TEST(Elementwise, TakesAParameter) {
  const auto relu = operator_of("relu", {f32({2})}, {{"a", 0.5}});
  EXPECT_EQ(whole_reference(*relu, {array({2}, {-2, 2})})[0].values(), (Reals{-1, 2}));
  EXPECT_EQ(application_of(*relu)->function, FunctionId::relu);
  EXPECT_EQ(application_of(*relu)->parameter, 0.5);
  EXPECT_FALSE(application_of(*operator_of("matmul", {f32({2, 2}), f32({2, 2})})));
  EXPECT_EQ(refusal("pow", {i32({2})}, {{"a", 0.5}}),
            "the value 0.5 must be an integer in the range of int32");
}

}  // namespace
}  // namespace einsummable
