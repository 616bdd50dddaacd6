// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "einsummable/task/verify.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable {
namespace {

// "3 1": steps of every kernel, in order.
std::vector<size_t> steps_of(const TaskGraph& graph) {
  std::vector<size_t> steps;
  for (const Task& task : graph.tasks) {
    if (task.kind == Task::Kind::kernel) steps.push_back(task.steps.size());
  }
  return steps;
}

std::vector<size_t> fused_steps(const Graph& graph, int64_t p = 1,
                                const std::map<std::string, Counts>& counts = {}) {
  return steps_of(lowered(plan_of(graph, p, counts), {}));
}

using Steps = std::vector<size_t>;

TEST(Fuse, ARunIsOneKernel) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId a = graph.apply("exp", {x}, {}, "a")[0];
  const TensorId b = graph.apply("neg", {a}, {}, "b")[0];
  graph.save(graph.apply("multiply", {b, x}, {}, "c")[0], "y");
  EXPECT_EQ(fused_steps(graph), Steps{3});
  const Counts rows = {{"i0", 2}};
  EXPECT_EQ(fused_steps(graph, 2, {{"a", rows}, {"b", rows}, {"c", rows}}), (Steps{3, 3}));
}

TEST(Fuse, WhatIsReadTwiceOrSavedIsStored) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8}, "x");
  const TensorId a = graph.apply("exp", {x}, {}, "a")[0];
  const TensorId b = graph.apply("neg", {a}, {}, "b")[0];
  graph.save(graph.apply("multiply", {b, a}, {}, "c")[0], "y");
  EXPECT_EQ(fused_steps(graph), (Steps{1, 2})) << "a is read by two, b by one";
  graph.save(b, "z");
  EXPECT_EQ(fused_steps(graph), (Steps{1, 1, 1})) << "b is saved";
}

TEST(Fuse, BothOperandsOfOneOperatorMayBeTheSame) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8}, "x");
  const TensorId a = graph.apply("exp", {x}, {}, "a")[0];
  graph.save(graph.apply("multiply", {a, a}, {}, "b")[0], "y");
  EXPECT_EQ(fused_steps(graph), (Steps{1, 1}));
}

TEST(Fuse, BlocksThatAreBroadcastOrCutOtherwiseAreStored) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {6}, "x"), y = graph.input(DType::f32, {8, 6}, "y");
  const TensorId a = graph.apply("exp", {x}, {}, "a")[0];
  graph.save(graph.apply("multiply", {a, y}, {}, "b")[0], "z");
  EXPECT_EQ(fused_steps(graph), (Steps{1, 1}));
  Graph other;
  const TensorId u = other.input(DType::f32, {8, 6}, "u");
  const TensorId v = other.apply("exp", {u}, {}, "v")[0];
  other.save(other.apply("neg", {v}, {}, "w")[0], "z");
  EXPECT_EQ(fused_steps(other, 2, {{"v", {{"i0", 2}}}, {"w", {{"i1", 2}}}}), (Steps{1, 1, 1, 1}));
}

TEST(Fuse, PartialResultsAreNeverFused) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId sum = graph.apply("einsum", {x}, {{"spec", std::string("ij->i")}}, "sum")[0];
  graph.save(graph.apply("relu", {sum}, {}, "relu")[0], "y");
  const TaskGraph tasks = lowered(plan_of(graph, 2, {{"sum", {{"j", 2}}}}), {});
  EXPECT_EQ(steps_of(tasks), (Steps{1, 1, 1}));
  EXPECT_EQ(count(tasks, Task::Kind::finalise), 1);
}

TEST(Fuse, EpiloguesAreAsLongAsTheTraitsSay) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x"), w = graph.input(DType::f32, {6, 4}, "w");
  TensorId y = graph.apply("matmul", {x, w}, {}, "product")[0];
  for (const char* op : {"exp", "neg", "relu", "square"}) y = graph.apply(op, {y}, {}, op)[0];
  graph.save(y, "y");
  const auto steps = [&](size_t most, int64_t p, const std::map<std::string, Counts>& counts) {
    Traits traits;
    traits.epilogue = [most](const TaskGraph&, const Task& task) {
      return task.steps.size() <= most;
    };
    return steps_of(lowered(plan_of(graph, p, counts), traits));
  };
  EXPECT_EQ(steps(1, 1, {}), (Steps{1, 4}));
  EXPECT_EQ(steps(3, 1, {}), (Steps{3, 2}));
  EXPECT_EQ(steps(4, 1, {}), (Steps{4, 1}));
  EXPECT_EQ(steps(9, 1, {}), (Steps{5}));
  const std::map<std::string, Counts> partial = {{"product", {{"j", 2}}}};
  EXPECT_EQ(steps(9, 2, partial), (Steps{1, 1, 4})) << "sums that are merged first";
}

TEST(Fuse, RandomGraphsKeepTheirOperatorsAndVerify) {
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(60, 1500)); ++seed) {
    Random random(seed);
    const Graph graph = random_graph(random, 4 + static_cast<int64_t>(seed % 12), DType::f32);
    const auto plan = plan_of(
        graph,
        {.p = 1 + static_cast<int64_t>(seed % 5), .selector = Selector::random, .seed = seed});
    Traits traits{.memory = Traits::Memory::private_sites};
    if (seed % 2) traits.epilogue = [](const TaskGraph&, const Task&) { return true; };
    const TaskGraph plain = lowered(plan, traits, Fusing::off), fused = lowered(plan, traits);
    const auto total = [](const TaskGraph& of) {
      size_t sum = 0;
      for (size_t steps : steps_of(of)) sum += steps;
      return sum;
    };
    EXPECT_EQ(total(plain), total(fused));
    EXPECT_LE(fused.buffers.size(), plain.buffers.size());
    EXPECT_TRUE(examine(plain, traits).ok());
    EXPECT_TRUE(examine(fused, traits).ok());
  }
}

}  // namespace
}  // namespace einsummable
