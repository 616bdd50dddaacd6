// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/evaluate.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(Evaluate, GivesEveryTensorRoundedToItsDType) {
  Graph graph;
  const TensorId x = graph.input(DType::f16, {3}, "x");
  const TensorId sum = graph.apply("sum", {x})[0];
  const TensorId third = graph.apply("divide", {x, sum})[0];
  const auto values = evaluate(graph, {{x, array({3}, {1, 1, 1})}});
  EXPECT_EQ(values.size(), 3u);
  EXPECT_EQ(values.at(sum).values(), (std::vector<double>{3}));
  EXPECT_EQ(values.at(third).values(), std::vector<double>(3, 1365.0 / 4096));
}

TEST(Evaluate, RefusesIdsOutOfRange) {
  Graph graph;
  const TensorId table = graph.input(DType::f32, {4, 2}, "table");
  const TensorId ids = graph.input(DType::i32, {1}, "ids");
  graph.apply("embedding", {table, ids});
  EXPECT_THROW(evaluate(graph, {{table, counting({4, 2})}, {ids, array({1}, {4})}}), InputError);
}

}  // namespace
}  // namespace einsummable
