// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/memory_use.h"

#include <gtest/gtest.h>

#include "einsummable/task/memory_plan.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable {
namespace {

TEST(MemoryUse, SaysWhatMemoryIsForWhereItIsFullest) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {64, 64}, "x");
  const TensorId w = graph.parameter(DType::f32, {64, 256}, "w");
  const TensorId v = graph.parameter(DType::f32, {256, 64}, "v");
  const TensorId h = graph.apply("matmul", {x, w}, {}, "up")[0];
  const TensorId y = graph.apply("matmul", {h, v}, {}, "down")[0];
  graph.save(y, "y");
  const TaskGraph tasks =
      lowered(plan_of(graph, 2, {{"up", {{"i", 2}}}, {"down", {{"i", 2}}}}), {});
  const MemoryUse use = memory_use(tasks);
  EXPECT_EQ(use.site, 0);
  EXPECT_EQ(use.parameters, 2 * 64 * 256 * 4);
  EXPECT_EQ(use.inputs, 32 * 64 * 4);
  EXPECT_EQ(use.temporaries, 32 * 256 * 4);
  EXPECT_EQ(use.peak(), peak_bytes(tasks));
  EXPECT_EQ(use.tensors[x.index()], 1);
  EXPECT_EQ(use.tensors[h.index()], 1);
  EXPECT_EQ(use.tensors[y.index()], 0);
  EXPECT_EQ(text(use, Figures::exact),
            "parameters 131072 B, inputs 8192 B, activations and partial results 32768 B, "
            "workspace 0 B");
}

TEST(MemoryUse, AddsUpToThePeak) {
  Random random(1);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph graph = random_graph(random, 1 + random_below(random, 12), DType::f32);
    const LogicalOptions options{.p = 1 + random_below(random, 5),
                                 .selector = Selector::random,
                                 .seed = static_cast<uint64_t>(round)};
    const TaskGraph tasks = lowered(plan_of(graph, options), {});
    const MemoryUse use = memory_use(tasks);
    EXPECT_EQ(use.peak(), peak_bytes(tasks));
    EXPECT_GE(std::min({use.parameters, use.inputs, use.temporaries, use.workspace}), 0);
    int64_t parameters = 0;
    for (const Buffer& buffer : tasks.buffers) {
      if (buffer.role != Buffer::Role::parameter) continue;
      if (buffer.site.value == use.site) parameters += buffer.bytes();
    }
    EXPECT_EQ(use.parameters, parameters);
  }
}

// By brute force: what is alive at each task, added up.
int64_t most_alive(const TaskGraph& graph, int64_t site) {
  const std::vector<Lifetime> lives = lifetimes(graph, Accesses(graph));
  int64_t most = 0;
  for (int64_t t = -1; t <= std::ssize(graph.tasks); ++t) {
    int64_t bytes = 0;
    for (size_t b = 0; b < lives.size(); ++b) {
      const bool there = graph.buffers[b].site.value == site && lives[b].meets({t, t});
      if (there) bytes += graph.buffers[b].bytes();
    }
    const bool runs = t >= 0 && t < std::ssize(graph.tasks);
    if (runs && graph.task(TaskId(t)).site.value == site) bytes += graph.task(TaskId(t)).workspace;
    most = std::max(most, bytes);
  }
  return most;
}

TEST(MemoryUse, NoSiteDoesWithLessThanIsAliveAtOneTime) {
  Random random(2);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph graph = random_graph(random, 1 + random_below(random, 12), DType::f32);
    const LogicalOptions options{.p = 1 + random_below(random, 5),
                                 .selector = Selector::random,
                                 .seed = static_cast<uint64_t>(round)};
    const Traits traits{.workspace = [](const TaskGraph&, const Task& task) {
      return std::ssize(task.reads) * 64;
    }};
    const TaskGraph tasks = lowered(plan_of(graph, options), traits);
    const std::vector<int64_t> least = least_bytes(tasks);
    for (size_t site = 0; site < least.size(); ++site) {
      EXPECT_EQ(least[site], most_alive(tasks, static_cast<int64_t>(site)));
      EXPECT_LE(least[site], tasks.memory[site].peak());
    }
  }
}

TEST(MemoryUse, AmountsAreRoundedUpUnlessThatHidesTheDifference) {
  EXPECT_EQ(amount_text(999'999, Figures::rounded), "999999 B");
  EXPECT_EQ(amount_text(1'000'001, Figures::rounded), "1.1 MB");
  EXPECT_EQ(amount_text(40'000'000'000, Figures::rounded), "40000.0 MB");
  EXPECT_EQ(amount_text(1'000'001, Figures::exact), "1000001 B");
  EXPECT_EQ(figures_to_tell(1'000'001, 1'000'002), Figures::exact);
  EXPECT_EQ(figures_to_tell(1'000'001, 2'000'000), Figures::rounded);
}

}  // namespace
}  // namespace einsummable
