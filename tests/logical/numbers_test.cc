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
  const std::pair<const char*, int64_t> known[] = {
      {"A", 2919235584}, {"B", 1415577600}, {"C", 859832320}, {"D", 3296460800}, {"E", 5191499776}};
  for (const auto& [name, elements] : known) {
    EXPECT_EQ(cost(workloads::chain(name), 8), elements) << name;
  }
}

TEST(Numbers, FeedForward) {
  const Graph small = workloads::ffn(1024, 4096, 14336);
  const LogicalPlan columns = plan(small, 8);
  EXPECT_EQ(columns.cost.main, 209715200);
  EXPECT_EQ(counts(columns, small, "up"), "i=1 j=1 k=8");
  EXPECT_EQ(counts(columns, small, "relu"), "i0=1 i1=8");
  EXPECT_EQ(counts(columns, small, "down"), "i=1 j=8 k=1");

  const Graph large = workloads::ffn(131072, 4096, 14336);
  const LogicalPlan rows = plan(large, 8);
  EXPECT_EQ(rows.cost.main, 5234491392);
  EXPECT_EQ(counts(rows, large, "up"), "i=8 j=1 k=1");
  EXPECT_EQ(counts(rows, large, "relu"), "i0=8 i1=1");
  EXPECT_EQ(counts(rows, large, "down"), "i=8 j=1 k=1");
}

struct BlockFigure {
  int64_t batch, seq, elements;
};

TEST(Numbers, LlamaBlock) {
  const BlockFigure known[] = {{1, 1024, 509673472},
                               {1, 8192, 2097217536},
                               {1, 131072, 17851023360},
                               {8, 1024, 2013331456},
                               {128, 1024, 16508846080}};
  for (const BlockFigure& figure : known) {
    const Graph g = workloads::llama({.batch = figure.batch, .seq = figure.seq, .rope = false});
    EXPECT_EQ(cost(g, 8), figure.elements) << figure.batch << " x " << figure.seq;
  }
}

TEST(Numbers, ALongSequenceIsCutByTokensAndInAttentionByHeads) {
  const Graph g = workloads::llama({.seq = 131072, .rope = false});
  const LogicalPlan best = plan(g, 8);
  for (const GraphOp& op : g.ops()) {
    const JoinAggSpec& spec = *best.ops[g.find_op(op.name).index()].spec;
    EXPECT_EQ(spec.cells(), 8) << op.name;
    const AxisMap& tokens =
        spec.signature().outputs[0].axes[spec.signature().outputs[0].axes.size() - 2];
    const AxisMap& heads = spec.signature().outputs[0].axes[0];
    const AxisMap& cut = op.name == "attention" ? heads : tokens;
    EXPECT_EQ(count_of(spec.cuts()[static_cast<size_t>(cut.terms[0].index)]), 8) << op.name;
  }
}

}  // namespace
}  // namespace einsummable
