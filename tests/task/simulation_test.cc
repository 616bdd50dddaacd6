// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/simulation.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

constexpr auto kPrivate = Traits::Memory::private_sites;

TaskGraph tasks_of(const Graph& graph, int64_t p, const Pins& pins = {}) {
  return lowered(plan_of(graph, {.p = p, .pins = pins}), {.memory = kPrivate});
}

// A product of 256^3 in 4 row blocks, then one of columns: all rows go to all sites between.
Graph two_products() {
  Graph g;
  const TensorId x = g.input(DType::f32, {256, 256}, "x");
  const TensorId h = g.apply("matmul", {x, g.parameter(DType::f32, {256, 256}, "w")}, {}, "a")[0];
  g.save(g.apply("matmul", {h, g.parameter(DType::f32, {256, 256}, "v")}, {}, "b")[0]);
  return g;
}

const Pins kRowsThenColumns = {{"a", {{"i", 4}}}, {"b", {{"k", 4}}}};

// Each site computes a quarter (1 us and 2 * 256^3 / 4 flops at 1e12 a second), sends its quarter
// of 256 KB to three others (1 us, then 64 KB to each at 1 GB/s in all), puts the four together and
// computes again.
TEST(TaskSimulation, OfTwoProductsCanBeFollowedByHand) {
  const TaskGraph tasks = tasks_of(two_products(), 4, kRowsThenColumns);
  const double product = 1e-3 + 2 * std::pow(256, 3) / 4 / 1e12 * 1e3;
  const double copies = 1e-3 + 3 * 65536 / 1e9 * 1e3;
  const double moved = std::pow(256, 2) * 4 * 2 / 1e12 * 1e3;
  const TaskSimulation out = simulate(tasks, switched(4, 1));
  EXPECT_GE(out.ms, 2 * product + copies - 1e-9);
  EXPECT_LE(out.ms, 2 * product + copies + 1e-3 + moved + 1e-9);
}

TEST(TaskSimulation, KeepsTheOrderOfTheTaskGraph) {
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, 1 + static_cast<int64_t>(random() % 8), DType::f32);
    const auto p = static_cast<int64_t>(1 + random() % 6);
    const TaskGraph tasks = tasks_of(g, p);
    Topology topology = random() % 2 == 0 ? switched(p, 10) : linked(p, random);
    if (random() % 3 == 0) topology.workers = 1 + static_cast<int64_t>(random() % 2);
    const TaskSimulation out = simulate(tasks, topology);
    double last = 0, work = 0;
    for (size_t t = 0; t < tasks.tasks.size(); ++t) {
      for (TaskId before : tasks.tasks[t].after) {
        EXPECT_GE(out.start[t], out.end[before.index()] - 1e-9);
      }
      last = std::max(last, out.end[t]);
      if (tasks.tasks[t].kind != Task::Kind::transfer) work += out.end[t] - out.start[t];
    }
    EXPECT_DOUBLE_EQ(out.ms, last);
    if (topology.workers > 0) {
      EXPECT_GE(out.ms, work / static_cast<double>(topology.workers) * (1 - 1e-9));
    }
    const TaskSimulation again = simulate(tasks, topology);
    EXPECT_EQ(out.start, again.start);
  }
}

// With one site there is nothing to overlap: the sum of all tasks.
TEST(TaskSimulation, OfOneSiteIsTheSum) {
  const TaskGraph tasks = tasks_of(two_products(), 1);
  const TaskSimulation out = simulate(tasks, switched(1, 1));
  EXPECT_NEAR(out.ms, 2 * (1e-3 + 2 * std::pow(256, 3) / 1e12 * 1e3), 1e-12);
  EXPECT_DOUBLE_EQ(out.busy[0], out.ms);
}

TEST(TaskSimulation, AHandOverMovesNoBytes) {
  Topology slow = switched(4, 1e-3), shared = slow;
  shared.handover = true;
  const TaskGraph tasks = tasks_of(two_products(), 4, kRowsThenColumns);
  EXPECT_GT(simulate(tasks, slow).ms, 100 * simulate(tasks, shared).ms);
}

TEST(TaskSimulation, SaysWhereAPlanHasNoWay) {
  const TaskGraph tasks = tasks_of(two_products(), 4, kRowsThenColumns);
  EXPECT_THROW(simulate(tasks, switched(3, 1)), TopologyError);
  Topology apart = switched(4, 1);
  apart.route_of[1] = -1;
  try {
    simulate(tasks, apart);
    FAIL();
  } catch (const TopologyError& error) {
    EXPECT_STREQ(error.what(), "test has no way from site 0 to site 1");
  }
}

TEST(LongestPaths, NoRunIsShorterThanFromWhereATaskBegins) {
  std::mt19937_64 random(2);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, 1 + static_cast<int64_t>(random() % 8), DType::f32);
    const TaskGraph tasks = tasks_of(g, 1);
    const Topology topology = switched(1, 1);
    const std::vector<double> paths = longest_paths(tasks, topology);
    const TaskSimulation out = simulate(tasks, topology);
    for (size_t t = 0; t < tasks.tasks.size(); ++t) {
      EXPECT_GE(paths[t], out.end[t] - out.start[t] - 1e-9);
      EXPECT_LE(out.start[t] + paths[t], out.ms + 1e-9);
      for (TaskId earlier : tasks.tasks[t].after) EXPECT_GT(paths[earlier.index()], paths[t]);
    }
  }
}

TEST(LongestPaths, OfAChainIsItsTime) {
  const TaskGraph tasks = tasks_of(two_products(), 1);
  const std::vector<double> paths = longest_paths(tasks, switched(1, 1));
  ASSERT_EQ(paths.size(), 2);
  EXPECT_NEAR(paths[0], simulate(tasks, switched(1, 1)).ms, 1e-12);
  EXPECT_NEAR(paths[1], paths[0] / 2, 1e-12);
}

}  // namespace
}  // namespace einsummable
