// SPDX-License-Identifier: Apache-2.0
#include "einsummable/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/base/error.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/network.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

std::shared_ptr<const Graph> block(int64_t layers, int64_t seq = 1024) {
  return std::make_shared<const Graph>(
      workloads::llama({.layers = layers, .seq = seq, .dtype = DType::f16}));
}

Prediction predict(const std::shared_ptr<const Graph>& graph, const LogicalPlan& plan,
                   const Topology& topology, const Schedule& schedule = {}) {
  return predict(
      place_and_synthesise(graph, specs_of(plan), topology.sites(), {.schedule = schedule}),
      topology, schedule);
}

double simulated(const std::shared_ptr<const Graph>& graph, const LogicalPlan& plan,
                 const Topology& topology) {
  return predict(graph, plan, topology).simulated;
}

TEST(Prediction, TheFastestPlanIsNeverSlowerThanTheProxys) {
  for (const char* machine : {"dgx-a100", "dgx-v100", "cpu"}) {
    for (int64_t p : {3, 8}) {
      const Topology topology = resolve_first(load_machine(machine), p);
      const auto graph = block(1);
      const FastestPlan fastest = find_fastest(graph, {.p = p}, topology, {.plans = 4});
      const LogicalPlan proxy = optimise(*graph, {.p = p});
      EXPECT_LE(fastest.ms, simulated(graph, proxy, topology)) << machine << ", p = " << p;
      EXPECT_EQ(fastest.ms, simulated(graph, fastest.plan, topology));
      EXPECT_NO_THROW(verify(fastest.plan, *graph));
    }
  }
}

// Pearson's correlation of planned and simulated times over random plans of the block.
double correlation(const char* machine, int plans) {
  const Topology topology = resolve_first(load_machine(machine), 8);
  const auto graph = block(1, 8192);
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (int seed = 0; seed < plans; ++seed) {
    const LogicalPlan plan = optimise(
        *graph, {.p = 8, .selector = Selector::random, .seed = static_cast<uint64_t>(seed)});
    const Prediction prediction = predict(graph, plan, topology);
    x += prediction.planned;
    y += prediction.simulated;
    xx += prediction.planned * prediction.planned;
    yy += prediction.simulated * prediction.simulated;
    xy += prediction.planned * prediction.simulated;
  }
  const double n = plans;
  return (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
}

// As ARCHITECTURE.md says. On the V100 naive programs crowd onto the bus.
TEST(Prediction, ThePlannedTimeGoesWithTheSimulated) {
  const int plans = rounds(40, 100);
  EXPECT_GE(correlation("dgx-a100", plans), 0.95);
  EXPECT_GE(correlation("dgx-v100", plans), 0.8);
}

// Simulating three layers says what all take.
TEST(Prediction, LayersAreSimulatedOnce) {
  const Topology topology = switched(4, 100);
  const auto five = block(5), nine = block(9);
  const double of_five = simulated(five, optimise(*five, {.p = 4}), topology);
  const double of_nine = simulated(nine, optimise(*nine, {.p = 4}), topology);
  const auto three = block(3);
  const double of_three = simulated(three, optimise(*three, {.p = 4}), topology);
  EXPECT_NEAR((of_nine - of_five) / 4, (of_five - of_three) / 2, 0.02 * of_three);
}

TEST(Prediction, SaysWhereSitesAreTooFewOrHaveNoWay) {
  const auto graph = block(1);
  const auto plan = optimise(*graph, {.p = 4});
  Topology few = switched(3, 1);
  few.name = "a switch";
  EXPECT_EQ(
      message<TopologyError>([&] { predict(place_and_synthesise(graph, specs_of(plan), 4), few); }),
      "the plan is for 4 sites, a switch has 3");
  EXPECT_EQ(message<TopologyError>([&] { find_fastest(graph, {.p = 4}, few, {.plans = 2}); }),
            "the plan is for 4 sites, a switch has 3");
  Topology apart = switched(4, 1);
  std::ranges::fill(apart.route_of, -1);
  EXPECT_NO_THROW(find_fastest(graph, {.p = 4}, apart, {.plans = 2}))
      << "the plan that uses one site needs no way";
  EXPECT_THROW(predict(graph, plan, apart), TopologyError);
}

TEST(Prediction, Repeats) {
  const Topology topology = resolve_first(load_machine("dgx-a100"), 5);
  const auto graph = block(2);
  const FastestPlan a = find_fastest(graph, {.p = 5}, topology, {.plans = 3});
  const FastestPlan b = find_fastest(graph, {.p = 5}, topology, {.plans = 3});
  EXPECT_EQ(text(a.plan, *graph), text(b.plan, *graph));
  EXPECT_EQ(a.ms, b.ms);
}

// The devices that run cells of an operator.
size_t devices_of(const LogicalPlan& plan, const Graph& graph, const char* op) {
  return static_cast<size_t>(plan.ops[graph.find_op(op).index()].spec->cells());
}

// One long sequence has 8 groups of heads for 16 devices: its rows are cut too.
TEST(Prediction, AttentionOfOneSequenceKeepsTwoNodesBusy) {
  const Topology topology = resolve_first(load_machine("dgx-h100-2"), 16);
  const auto graph = block(1, 131'072);
  const FastestPlan fastest = find_fastest(graph, {.p = 16}, topology);
  EXPECT_EQ(devices_of(fastest.plan, *graph, "attention"), 16u);
}

// With two workers thin rows of blocks read the weights over and over.
TEST(Prediction, TwoWorkersAreNotGivenThinBlocks) {
  const Topology topology = resolve_first(load_machine("cpu"), 8);
  const auto graph = std::make_shared<const Graph>(workloads::llama({.layers = 1, .seq = 1024}));
  const FastestPlan fastest = find_fastest(graph, {.p = 8}, topology);
  const LogicalPlan rows = optimise(*graph, {.p = 8, .pins = {{"up", {{"i", 8}}}}});
  EXPECT_LT(fastest.ms, simulated(graph, rows, topology));
  const JoinAggSpec& up = *fastest.plan.ops[graph->find_op("up").index()].spec;
  EXPECT_LE(count_of(up.cuts()[0]), 2) << text(up);
}

// Programs that are faster alone may wait for kernels; the plan then has the naive ones.
TEST(Prediction, SearchedProgramsNeverMakeAPlanSlower) {
  const auto topology =
      std::make_shared<const Topology>(resolve_first(load_machine("dgx-a100"), 8));
  const auto graph = block(1, 131'072);
  const Schedule searching{.topology = topology};
  int64_t naive = 0;
  for (uint64_t seed : {39u, 83u}) {
    const auto specs =
        specs_of(optimise(*graph, {.p = 8, .selector = Selector::random, .seed = seed}));
    const double without = predict(place_and_synthesise(graph, specs, 8), *topology).simulated;
    const double with = predict(place_and_synthesise(graph, specs, 8, {.schedule = searching}),
                                *topology, searching)
                            .simulated;
    const double chosen =
        predict(place_for_time(graph, specs, {.schedule = searching}), *topology, searching)
            .simulated;
    EXPECT_EQ(chosen, std::min(with, without)) << "seed " << seed;
    naive += without < with;
  }
  EXPECT_GT(naive, 0) << "there are such plans";
}

}  // namespace
}  // namespace einsummable
