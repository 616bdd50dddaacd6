// SPDX-License-Identifier: Apache-2.0
// Costs and plans that are known: DESIGN.md section 9.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/explain.h"
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

// Both ways to write heads down cost the same, also where p divides neither heads nor columns.
TEST(Numbers, FlatAndHeadIndexedBlocksCostTheSame) {
  for (bool rope : {false, true}) {
    for (int64_t p : {2, 3, 4, 5, 6, 7, 8, 12, 16}) {
      LlamaOptions options{.rope = rope, .style = HeadStyle::indexed};
      const Graph indexed = workloads::llama(options);
      options.style = HeadStyle::flat;
      const Graph flat = workloads::llama(options);
      EXPECT_EQ(plan(indexed, p).cost.main, plan(flat, p).cost.main) << "p = " << p;
    }
  }
}

// Without cuts of the whole class, the flat style costs 8,388,608 more.
TEST(Numbers, TheBlockAtThreeProcessors) {
  for (HeadStyle style : {HeadStyle::indexed, HeadStyle::flat}) {
    EXPECT_EQ(cost(workloads::llama({.rope = false, .style = style}), 3), 411066368);
  }
}

// From the projections to the output projection, all follow the KV heads: 11, 11 and 10 of 32.
TEST(Numbers, NothingIsRepartitionedAroundAttentionWherePDoesNotDivide) {
  for (HeadStyle style : {HeadStyle::indexed, HeadStyle::flat}) {
    const Graph g = workloads::llama({.heads = 64, .kv_heads = 32, .style = style});
    const LogicalPlan best = plan(g, 3);
    EXPECT_EQ(counts(best, g, "attention"), "h=3 s=1");
    int around = 0;
    for (size_t i = g.find_op("v").index() + 1; i <= g.find_op("out").index(); ++i) {
      EXPECT_EQ(best.ops[i].repartition, 0) << g.ops()[i].name;
      ++around;
    }
    EXPECT_GE(around, 4);
  }
}

TEST(Numbers, LayersCostWhatTheyCostInARow) {
  const Graph one = workloads::llama({.rope = false});
  const Graph four = workloads::llama({.layers = 4, .rope = false});
  const LogicalPlan best = plan(four, 8);
  EXPECT_TRUE(best.exact());
  EXPECT_LE(best.width, 2);
  EXPECT_LE(best.cost.main, 4 * cost(one, 8) + 3 * 1024 * 4096);
  EXPECT_EQ(four.ops().size(), 4 * one.ops().size());
}

TEST(Numbers, ExplainSaysWhyEverySpecOfTheBlockWon) {
  const Graph g = workloads::llama({.seq = 8192});
  const LogicalPlan best = plan(g, 8);
  for (const GraphOp& op : g.ops()) {
    const Explanation why = explain(g, {.p = 8}, op.name);
    ASSERT_FALSE(why.alternatives.empty()) << op.name;
    EXPECT_EQ(why.alternatives.front().cost, best.cost) << op.name;
    for (const Alternative& each : why.alternatives) {
      EXPECT_EQ(each.lost_by.empty(), each.cost == best.cost) << op.name;
    }
  }
}

// Operators that each read two of the ones before: far beyond exact elimination.
TEST(Numbers, TwoThousandSharedOperatorsAreProvenWithinFivePercent) {
  std::mt19937_64 random(1);
  Graph g;
  std::vector<TensorId> made;
  for (int i = 0; i < 4; ++i) made.push_back(g.input(DType::f32, {256, 256}));
  while (g.ops().size() < 2000) {
    const auto earlier = [&] {
      return made[made.size() - 1 - random() % std::min<size_t>(made.size(), 20)];
    };
    const TensorId a = earlier(), b = earlier();
    made.push_back(g.apply(random() % 2 ? "matmul" : "add", {a, b})[0]);
  }
  g.save(made.back());
  const auto start = std::chrono::steady_clock::now();
  const LogicalPlan found = optimise(g, {.p = 8});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double gap = static_cast<double>(found.cost.main - found.bound->main) /
                     static_cast<double>(found.bound->main);
  std::printf("2000 operators: %.2f s, width %d, within %.2f %%\n", seconds.count(), found.width,
              100 * gap);
  EXPECT_LE(gap, 0.05);
}

}  // namespace
}  // namespace einsummable
