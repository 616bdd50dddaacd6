// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "einsummable/base/error.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

// A product whose contraction is cut in two, and two operators that read it.
Graph two_readers() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  const TensorId w = graph.parameter(DType::f32, {6, 4}, "w");
  const TensorId y = graph.apply("matmul", {x, w}, {}, "product")[0];
  graph.save(graph.apply("relu", {y}, {}, "first")[0], "a");
  graph.save(graph.apply("neg", {y}, {}, "second")[0], "b");
  graph.save(y, "c");
  return graph;
}

int64_t moved_bytes(const ExchangeStep& step) {
  int64_t bytes = 0;
  for (const Derivation& derivation : step.derivations) {
    if (derivation.source.valid()) bytes += step.program.bytes(derivation.aggregate);
  }
  return bytes;
}

int64_t merges(const ExchangeStep& step) {
  return std::ranges::count_if(step.derivations,
                               [](const Derivation& d) { return !d.source.valid(); });
}

TEST(Planner, TwoConsumersOfOnePartialMoveItsBytesOnce) {
  const auto plan = plan_of(
      two_readers(), 2, {{"product", {{"j", 2}}}, {"first", {{"i0", 2}}}, {"second", {{"i0", 2}}}});
  EXPECT_EQ(moved_bytes(plan->steps[1]), 2 * 4 * 4 * 4) << "half of the block each way";
  EXPECT_EQ(merges(plan->steps[1]), 2);
  for (size_t later : {2u, 3u, 4u, 5u}) EXPECT_TRUE(plan->steps[later].regions.empty()) << later;
}

TEST(Planner, AggregatesAlreadyFormedAreReused) {
  const auto plan = plan_of(
      two_readers(), 2, {{"product", {{"j", 2}}}, {"first", {{"i0", 2}}}, {"second", {{"i1", 2}}}});
  const ExchangeStep& second = plan->steps[2];
  EXPECT_EQ(merges(second), 0) << "rows that are merged are not merged again";
  EXPECT_EQ(moved_bytes(second), 2 * (4 * 2) * 4) << "the other half of the rows, its own columns";
  for (const Region& region : second.regions) EXPECT_EQ(region.formed.size(), 1u);
}

TEST(Planner, OneInputReadTwiceIsOneNeed) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "relu")[0];
  graph.save(graph.apply("multiply", {y, y}, {}, "square")[0]);
  const auto plan = plan_of(graph, 2, {{"square", {{"i0", 2}}}});
  EXPECT_EQ(moved_bytes(plan->steps[1]), 4 * 4);
}

// Saved tensors are fetched where they are; sites that hold as good a part share the work.
TEST(Planner, FetchesSpreadOverThePartialsOfABlock) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {8, 6}, "x");
  graph.save(graph.apply("einsum", {x}, {{"spec", std::string("ij->i")}}, "sum")[0]);
  const auto plan = plan_of(graph, 4, {{"sum", {{"i", 2}, {"j", 2}}}});
  const std::vector<Resident> expected = {{SiteId(0), {{0, 4}}}, {SiteId(2), {{4, 8}}}};
  EXPECT_EQ(plan->fetches[0], expected);
}

// A saved tensor whose parts are complete at several sites is fetched part by part: nothing moves.
TEST(Planner, FetchesCoverTheTensorOnce) {
  for (int round = 0; round < rounds(40, 1000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const Graph graph = random_graph(random, 3 + round % 10, DType::f16);
    const auto plan =
        plan_of(graph, {.p = 1 + round % 9, .selector = Selector::random, .seed = random()});
    for (size_t s = 0; s < plan->fetches.size(); ++s) {
      std::vector<Box> rest = {plan->graph->type(plan->graph->saves()[s].tensor).bounds};
      int64_t fetched = 0;
      const int64_t all = elements(rest[0]);
      for (const Resident& fetch : plan->fetches[s]) {
        subtract(rest, fetch.box);
        fetched += elements(fetch.box);
      }
      EXPECT_EQ(fetched, all);
      EXPECT_TRUE(all == 0 || rest.empty());
    }
  }
}

TEST(Planner, EveryNeedOfEveryStepIsMet) {
  int64_t steps = 0;
  for (int round = 0; round < rounds(40, 1000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const Graph graph = random_graph(random, 3 + round % 10, DType::f16);
    const int64_t p = 1 + round % 9;
    const auto plan = plan_of(graph, {.p = p, .selector = Selector::random, .seed = random()});
    for (const ExchangeStep& step : plan->steps) {
      std::set<std::pair<exchange::AggregateId, SiteId>> made;
      for (const Derivation& derivation : step.derivations) {
        EXPECT_TRUE(made.emplace(derivation.aggregate, derivation.site).second)
            << "one derivation an aggregate and site";
      }
      for (const Region& region : step.regions) {
        for (SiteId site : region.required) EXPECT_TRUE(made.contains({region.complete, site}));
      }
      ++steps;
    }
    for (size_t i = 0; i < plan->placement.size(); ++i) {
      const std::set<SiteId> sites(plan->placement[i].begin(), plan->placement[i].end());
      EXPECT_EQ(std::ssize(sites), plan->specs[i].cells()) << "one cell a site";
    }
  }
  EXPECT_GT(steps, 0);
}

TEST(Planner, RefusesAProgramThatIsNotValid) {
  auto plan = *plan_of(two_readers(), 2, {{"product", {{"j", 2}}}});
  ExchangeStep& step = plan.steps[1];
  step.program.set_body({});
  try {
    derive(step);
    FAIL() << "no error";
  } catch (const PlanError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("the exchange program is not valid: "))
        << error.what();
  }
}

}  // namespace
}  // namespace einsummable
