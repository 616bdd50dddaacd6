// SPDX-License-Identifier: Apache-2.0
// Tests that count tasks: what a plan does not ask for is not done.
#include "einsummable/task/lowering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "einsummable/exchange/simulator.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable {
namespace {

constexpr auto kShared = Traits::Memory::shared;
constexpr auto kPrivate = Traits::Memory::private_sites;

// A transformer block's attention with grouped queries, on flat columns: projections, reshapes and
// transposes to heads, attention, back, and the output projection.
Graph attention_block(int64_t heads = 8, int64_t kv_heads = 4, int64_t head_dim = 4) {
  Graph graph;
  const int64_t tokens = 12, d_model = 16;
  const TensorId x = graph.input(DType::f32, {tokens, d_model}, "x");
  const auto heads_of = [&](const std::string& name, int64_t count) {
    const TensorId w = graph.parameter(DType::f32, {d_model, count * head_dim}, "w_" + name);
    const TensorId flat = graph.apply("matmul", {x, w}, {}, name)[0];
    const TensorId split = graph.apply(
        "reshape", {flat}, {{"shape", Shape{tokens, count, head_dim}}}, name + "_split")[0];
    return graph.apply("transpose", {split}, {{"axes", Shape{1, 0, 2}}}, name + "_heads")[0];
  };
  const TensorId q = heads_of("q", heads), k = heads_of("k", kv_heads), v = heads_of("v", kv_heads);
  const TensorId y = graph.apply("attention", {q, k, v},
                                 {{"ends", Shape{tokens}}, {"causal", true}}, "attention")[0];
  const TensorId rows = graph.apply("transpose", {y}, {{"axes", Shape{1, 0, 2}}}, "rows")[0];
  const TensorId flat =
      graph.apply("reshape", {rows}, {{"shape", Shape{tokens, heads * head_dim}}}, "flat")[0];
  const TensorId w = graph.parameter(DType::f32, {heads * head_dim, d_model}, "w_out");
  graph.save(graph.apply("matmul", {flat, w}, {}, "out")[0], "y");
  return graph;
}

// A gated feed-forward network.
Graph gated() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {12, 16}, "x");
  const auto project = [&](const std::string& name) {
    return graph.apply("matmul", {x, graph.parameter(DType::f32, {16, 24}, "w_" + name)}, {},
                       name)[0];
  };
  const TensorId silu = graph.apply("silu", {project("gate")}, {}, "silu")[0];
  const TensorId hidden = graph.apply("multiply", {silu, project("up")}, {}, "mul")[0];
  const TensorId w = graph.parameter(DType::f32, {24, 16}, "w_down");
  graph.save(graph.apply("matmul", {hidden, w}, {}, "down")[0], "y");
  return graph;
}

// The names of the operators that a kernel runs, in order.
std::vector<std::string> names_of(const TaskGraph& graph, const Task& task) {
  std::vector<std::string> names;
  for (const KernelStep& step : task.steps) names.push_back(graph.graph().op(step.op).name);
  return names;
}

// The names of the operators whose results are transferred.
std::set<std::string> moved(const TaskGraph& graph) {
  std::set<std::string> names;
  for (const Task& task : graph.tasks) {
    if (task.kind == Task::Kind::transfer) names.insert(graph.graph().tensor(task.tensor).name);
  }
  return names;
}

TEST(Lowering, TwoConsumersOfOnePartialMoveItsBytesOnce) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId w = graph.parameter(DType::f32, {6, 4}, "w");
  const TensorId y = graph.apply("matmul", {x, w}, {}, "product")[0];
  graph.save(graph.apply("relu", {y}, {}, "first")[0], "a");
  const std::map<std::string, Counts> counts = {
      {"product", {{"j", 2}}}, {"first", {{"i0", 2}}}, {"second", {{"i0", 2}}}};
  const auto one = plan_of(graph, 2, counts);
  graph.save(graph.apply("neg", {y}, {}, "second")[0], "b");
  graph.save(y, "c");
  const auto three = plan_of(graph, 2, counts);
  EXPECT_EQ(transferred_bytes(lowered(one, {.memory = kPrivate})), 2 * 16 * 4);
  EXPECT_EQ(transferred_bytes(lowered(three, {.memory = kPrivate})), 2 * 16 * 4);
  for (Traits::Memory memory : {kShared, kPrivate}) {
    EXPECT_EQ(count(lowered(three, {.memory = memory}), Task::Kind::finalise), 2);
  }
}

// Nor is anything done to turn rows: only back from heads are rows put together, a kernel a cell.
TEST(Lowering, ReshapesToHeadsCopyNothing) {
  for (int64_t p : {1, 2, 3, 4, 5, 8}) {
    for (Traits::Memory memory : {kShared, kPrivate}) {
      const TaskGraph tasks = lowered(plan_of(attention_block(), {.p = p}), {.memory = memory});
      EXPECT_EQ(count(tasks, Task::Kind::slice), 0);
      for (const Task& task : tasks.tasks) {
        for (const std::string& name : names_of(tasks, task)) {
          EXPECT_TRUE(
              std::set<std::string>({"q", "k", "v", "attention", "flat", "out"}).contains(name))
              << name << " is a kernel at p = " << p;
        }
      }
    }
  }
}

TEST(Lowering, AroundAttentionNothingIsRepartitioned) {
  for (int64_t p : {2, 3, 4}) {
    const LogicalPlan logical = optimise(attention_block(), {.p = p});
    int64_t repartition = 0;
    for (const PlannedOp& op : logical.ops) repartition += op.repartition;
    const TaskGraph tasks = lowered(plan_of(attention_block(), {.p = p}), {.memory = kPrivate});
    const std::set<std::string> names = moved(tasks);
    EXPECT_EQ(repartition, 0) << "p = " << p;
    EXPECT_TRUE(names.empty() || names == std::set<std::string>{"out"})
        << *names.begin() << " moves at p = " << p;
    EXPECT_EQ(count(tasks, Task::Kind::concat), 0);
  }
}

TEST(Lowering, SiluAndMultiplyAreOneKernelASite) {
  for (int64_t p : {1, 2, 3, 5, 8}) {
    const TaskGraph tasks = lowered(plan_of(gated(), {.p = p}), {.memory = kShared});
    int64_t kernels = 0;
    for (const Task& task : tasks.tasks) {
      const std::vector<std::string> names = names_of(tasks, task);
      if (std::ranges::find(names, "silu") == names.end()) continue;
      EXPECT_EQ(names, (std::vector<std::string>{"silu", "mul"}));
      ++kernels;
    }
    EXPECT_EQ(kernels, p);
  }
}

// Blocks that arrive in pieces are put together where they are read: no copy beyond the transfers.
TEST(Lowering, TransfersWriteStraightIntoTheBlocksThatAreRead) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "rows")[0];
  graph.save(graph.apply("softmax", {y}, {{"axis", int64_t{0}}}, "columns")[0], "y");
  const auto plan = plan_of(graph, 2, {{"rows", {{"i0", 2}}}, {"columns", {{"batch1", 2}}}});
  const TaskGraph isolated = lowered(plan, {.memory = kPrivate});
  EXPECT_EQ(count(isolated, Task::Kind::transfer), 2);
  EXPECT_EQ(count(isolated, Task::Kind::concat), 2) << "each site's own half, beside what arrives";
  EXPECT_EQ(transferred_bytes(isolated), 2 * 4 * 3 * 4);
}

TEST(Lowering, SharedMemoryIsHandedOver) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "whole")[0];
  graph.save(graph.apply("softmax", {y}, {}, "cut")[0], "y");
  const auto plan = plan_of(graph, 4, {{"cut", {{"batch0", 4}}}});
  const TaskGraph shared = lowered(plan, {.memory = kShared});
  EXPECT_EQ(shared.tasks.size(), 5u) << "kernels alone";
  EXPECT_EQ(count(lowered(plan, {.memory = kPrivate}), Task::Kind::transfer), 3);
}

// Traits say that ends of transfers are dense: a column is packed before it goes and unpacked into
// the block it belongs to.
TEST(Lowering, DenseTransfersPackAndUnpack) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "rows")[0];
  graph.save(graph.apply("softmax", {y}, {{"axis", int64_t{0}}}, "columns")[0], "y");
  const auto plan = plan_of(graph, 2, {{"rows", {{"i0", 2}}}, {"columns", {{"batch1", 2}}}});
  const TaskGraph tasks =
      lowered(plan, {.memory = kPrivate, .transfers = Traits::Transfers::dense});
  EXPECT_EQ(count(tasks, Task::Kind::slice), 2);
  EXPECT_EQ(count(tasks, Task::Kind::transfer), 2);
  EXPECT_EQ(transferred_bytes(tasks), 2 * 4 * 3 * 4);
}

// Between an ordered pair of sites transfers run in the order in which the program was simulated.
TEST(Lowering, TransfersKeepTheOrderOfTheirProgram) {
  using Pair = std::pair<SiteId, SiteId>;
  int64_t queued = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(40, 400)); ++seed) {
    Random random(seed);
    const int64_t p = 2 + static_cast<int64_t>(seed % 7);
    const Schedule schedule = searched_for(p, seed);
    const auto plan = plan_of(random_graph(random, 6, DType::f32),
                              {.p = p, .selector = Selector::random, .seed = seed}, schedule);
    const TaskGraph tasks = lowered(plan, {.memory = kPrivate});
    std::map<Pair, std::vector<TaskId>> by_pair;
    for (size_t t = 0; t < tasks.tasks.size(); ++t) {
      const Task& task = tasks.tasks[t];
      if (task.kind != Task::Kind::transfer) continue;
      by_pair[{tasks.buffer(task.reads[0].buffer).site, task.site}].push_back(
          TaskId(static_cast<int64_t>(t)));
    }
    const auto before = happens_before(tasks);
    std::map<Pair, size_t> done;
    for (const ExchangeStep& step : plan->steps) {
      if (step.regions.empty()) continue;
      std::map<Pair, std::vector<exchange::AggregateId>> derived, simulated;
      for (const Derivation& made : step.derivations) {
        if (made.source.valid()) derived[{made.source, made.site}].push_back(made.aggregate);
      }
      const auto run = exchange::simulate(step.program, *schedule.topology, {.ideal = true});
      for (const auto& sent : run.timeline) {
        if (!sent.is_transfer()) continue;
        auto& order = simulated[{sent.site, sent.destination}];
        const auto& used = derived[{sent.site, sent.destination}];
        if (std::ranges::find(used, sent.aggregate) != used.end()) order.push_back(sent.aggregate);
      }
      for (const auto& [pair, order] : derived) {
        EXPECT_EQ(order, simulated[pair]) << "seed " << seed;
        const std::vector<TaskId>& transfers = by_pair[pair];
        for (size_t i = 1; i < order.size(); ++i, ++queued) {
          const size_t at = done[pair] + i;
          EXPECT_TRUE(before[transfers[at].index()][transfers[at - 1].index()]) << "seed " << seed;
        }
        done[pair] += order.size();
      }
    }
    for (const auto& [pair, transfers] : by_pair) EXPECT_EQ(done[pair], transfers.size());
  }
  EXPECT_GT(queued, 50);
}

}  // namespace
}  // namespace einsummable
