// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/contract.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

struct Given {
  Graph graph;
  TensorId a = graph.input(DType::f32, {9, 9}, "a");
  TensorId b = graph.input(DType::f32, {9, 9}, "b");
  TensorId c = graph.input(DType::f32, {9}, "c");
};

// The lines of operators in the text of the graph.
std::string operators_of(const Graph& graph) {
  const std::string all = text(graph);
  return all.substr(all.find("%3"));
}

TEST(Contract, ASumOfProductsOfThreeIsContractedInPairs) {
  Given g;
  const TensorId inputs[] = {g.a, g.b, g.c};
  const TensorId y = einsum(g.graph, "ij,jk,k->i", inputs, {.name = "chain"});
  EXPECT_EQ(operators_of(g.graph),
            "%3 = einsum(%1, %2, spec=\"jk,k->j\", combine=\"multiply\", aggregate=\"sum\") "
            "\"einsum_0\"\n"
            "%4 = einsum(%0, %3, spec=\"ij,j->i\", combine=\"multiply\", aggregate=\"sum\") "
            "\"chain\"\n");
  EXPECT_EQ(describe(g.graph.type(y)), "float32[9]");
}

TEST(Contract, OtherCombinationsAndTwoFactorsAreOneOperator) {
  Given g;
  const TensorId three[] = {g.a, g.b, g.c}, two[] = {g.a, g.b};
  einsum(g.graph, "ij,jk,k->i", three, {.aggregate = "max", .name = "largest"});
  einsum(g.graph, "ij,jk->ik", two);
  EXPECT_EQ(g.graph.ops().size(), 2u);
  EXPECT_EQ(g.graph.ops()[0].inputs.size(), 3u);
}

TEST(Contract, AMistakeIsThatOfTheOperatorAndLeavesTheGraphAsItWas) {
  const auto message = [](std::string_view notation, std::vector<TensorId> inputs) {
    Given g;
    g.graph.apply("relu", {g.a}, {}, "taken");
    const std::string before = text(g.graph);
    try {
      einsum(g.graph, notation, inputs, {.name = inputs.size() == 3 ? "taken" : "e"});
    } catch (const GraphError& error) {
      EXPECT_EQ(text(g.graph), before);
      return std::string(error.what());
    }
    return std::string();
  };
  const TensorId a(0), b(1), c(2);
  EXPECT_NE(message("ij,jk->ik,", {a, b}).find("einsum \"e\": a is float32[9, 9]"),
            std::string::npos);
  EXPECT_NE(message("ij,jk,j->,i", {a, b, c, c}).find("einsum \"e\": a is float32[9, 9]"),
            std::string::npos);
  EXPECT_NE(message("i,i,i,i->i", {a, b, c, TensorId(99)}).find("there is no tensor %99"),
            std::string::npos);
  EXPECT_EQ(message("ij,jk,k->i", {a, b, c}),
            "einsum \"taken\"; there is already an operator called \"taken\"");
}

}  // namespace
}  // namespace einsummable
