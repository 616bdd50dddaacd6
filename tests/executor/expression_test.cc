// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/expression.h"

#include <gtest/gtest.h>

#include "einsummable/executor/fused_expression.h"
#include "einsummable/graph/graph.h"

namespace einsummable {
namespace {

using Kind = Expression::Instruction::Kind;

std::vector<Kind> kinds(const Expression& expression) {
  std::vector<Kind> out;
  for (const auto& instruction : expression.instructions()) out.push_back(instruction.kind);
  return out;
}

TEST(Expression, RoundsConstantsToTheirDtype) {
  Expression e;
  EXPECT_EQ(e.at(e.constant(DType::f16, 0.1)).real, rounded(0.1, DType::f16));
  EXPECT_EQ(e.at(e.constant(DType::i32, 3.7)).integer, 3);
  EXPECT_EQ(e.at(e.constant(DType::boolean, 2)).integer, 1);
  EXPECT_EQ(e.at(e.integer_constant(DType::f32, 7)).real, 7);
}

TEST(Expression, AppliesToOperandsOfOneDtypeOnly) {
  Expression e;
  const auto x = e.input(DType::f16), y = e.input(DType::f32);
  EXPECT_THROW(e.apply(FunctionId::add, {x, y}), InternalError);
  EXPECT_THROW(e.apply(FunctionId::add, {x}), InternalError);
  EXPECT_EQ(e.dtype(e.apply(FunctionId::less, {x, e.cast(y, DType::f16)})), DType::boolean);
  EXPECT_EQ(e.cast(x, DType::f16), x);
  EXPECT_THROW(e.output(99), InternalError);
}

TEST(FusedExpression, CastsWhatAnOperatorPromotes) {
  Graph graph;
  const TensorId c = graph.input(DType::boolean, {4}, "c"), x = graph.input(DType::f32, {4}, "x");
  const TensorId y = graph.apply("where", {c, x, x}).at(0);
  const Operator& where = *graph.op(graph.tensor(y).producer).op;
  const DType inputs[] = {DType::boolean, DType::f32, DType::f32};
  const Expression e = expression_of(where, inputs);
  EXPECT_EQ(kinds(e),
            (std::vector{Kind::input, Kind::input, Kind::input, Kind::cast, Kind::apply}));
  EXPECT_EQ(e.dtype(e.outputs().at(0)), DType::f32);
}

TEST(FusedExpression, BroadcastsFromTheLastAxis) {
  const int64_t shape[] = {2, 3, 4}, input[] = {1, 4}, strides[] = {4, 1};
  EXPECT_EQ(broadcast_strides(input, strides, shape), (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(broadcast_strides({}, {}, shape), (std::vector<int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace einsummable
