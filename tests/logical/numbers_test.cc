// SPDX-License-Identifier: Apache-2.0
// Costs and plans that are known: DESIGN.md section 9.
#include <gtest/gtest.h>

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/workloads/chain.h"
#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"

namespace einsummable {
namespace {

using workloads::HeadStyle;
using workloads::LlamaOptions;

LogicalPlan plan(const Graph& graph, int64_t p, Selector selector = Selector::optimal) {
  const LogicalPlan plan = optimise(graph, {.p = p, .selector = selector});
  verify(plan, graph);
  return plan;
}

int64_t cost(const Graph& graph, int64_t p) { return plan(graph, p).cost.main; }

std::string counts(const LogicalPlan& plan, const Graph& graph, std::string_view op) {
  return counts_text(*plan.ops[graph.find_op(op).index()].spec);
}

TEST(Numbers, ACubicProductIsCutInThreeDimensions) {
  Graph g;
  const TensorId x = g.input(DType::f32, {1024, 1024}), w = g.input(DType::f32, {1024, 1024});
  g.save(g.apply("matmul", {x, w}, {}, "product")[0]);
  const LogicalPlan best = plan(g, 8);
  EXPECT_EQ(best.cost.main, 5 * 1024 * 1024);
  EXPECT_EQ(counts(best, g, "product"), "i=2 j=2 k=2");
}

TEST(Numbers, Chains) {
  const std::pair<const char*, int64_t> known[] = {{"A", 2919235584},
                                                   {"B", 1415577600},
                                                   {"C", 859832320},
                                                   {"D", 3296460800},
                                                   {"E", 5191499776}};
  for (const auto& [name, elements] : known) {
    EXPECT_EQ(cost(workloads::chain(name), 8), elements) << name;
  }
}

}  // namespace
}  // namespace einsummable
