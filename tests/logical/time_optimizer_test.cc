// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_optimizer.h"

#include <gtest/gtest.h>

#include <functional>

#include "einsummable/logical/explain.h"
#include "einsummable/workloads/llama.h"
#include "tests/logical/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

constexpr int64_t kBudget = 1 << 20;

std::vector<JoinAggSpec> specs_of(const Candidates& candidates, const std::vector<uint32_t>& pick) {
  std::vector<JoinAggSpec> specs;
  for (size_t i = 0; i < pick.size(); ++i) {
    specs.push_back(*candidates.candidate(OpId(static_cast<int64_t>(i)), pick[i]).spec);
  }
  return specs;
}

Topology random_topology(int64_t sites, Random& random) {
  Topology out = random() % 2 == 0 ? switched(sites, 10) : linked(sites, random);
  if (random() % 4 == 0) out.workers = 2;
  if (random() % 4 == 0) out.handover = true;
  return out;
}

double combinations(const Candidates& candidates) {
  double product = 1;
  for (size_t i = 0; i < candidates.graph().ops().size(); ++i) {
    product *= static_cast<double>(candidates.of(OpId(static_cast<int64_t>(i))).all.size());
  }
  return product;
}

// The least planned time of all combinations of candidates.
int64_t brute_force(const Candidates& candidates, TimeModel& model) {
  std::vector<uint32_t> pick(candidates.graph().ops().size(), 0);
  int64_t best = INT64_MAX;
  const std::function<void(size_t)> choose = [&](size_t i) {
    if (i == pick.size()) {
      best =
          std::min(best, planned_time(candidates.graph(), specs_of(candidates, pick), model).total);
      return;
    }
    const size_t count = candidates.of(OpId(static_cast<int64_t>(i))).all.size();
    for (pick[i] = 0; pick[i] < count; ++pick[i]) choose(i + 1);
    pick[i] = 0;
  };
  choose(0);
  return best;
}

TEST(TimeOptimizer, TheFirstPlanEqualsBruteForceOverPlannedTimes) {
  Random random(1);
  int compared = 0;
  for (int round = 0; round < rounds(300, 3000); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 5)});
    const auto p = static_cast<int64_t>(1 + random() % 8);
    const Topology topology = random_topology(p, random);
    TimeModel model(topology);
    const Candidates candidates(g, p, {}, communication_proxy(), Offer::divisors);
    if (combinations(candidates) > 3000) continue;
    ++compared;
    const std::vector<Choice> best = choose_fastest(candidates, model, kBudget, 6);
    ASSERT_EQ(best[0].cost.main, brute_force(candidates, model)) << text(g) << "p = " << p;
    EXPECT_EQ(best[0].bound, best[0].cost);
    for (const Choice& choice : best) {
      EXPECT_EQ(choice.cost.main, planned_time(g, specs_of(candidates, choice.pick), model).total);
      EXPECT_GE(choice.cost, best[0].cost);
    }
  }
  EXPECT_GT(compared, rounds(300, 3000) / 4);
}

// What explain() says a cut costs is what planning with that cut pinned gives.
TEST(TimeOptimizer, ForcedAlternativesCostWhatReplanningWithThePinCosts) {
  Random random(7);
  int compared = 0;
  for (int round = 0; round < rounds(100, 1500); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 6)});
    const int64_t counts[] = {2, 3, 4, 8};
    const int64_t p = counts[round % 4];
    const Topology topology = random_topology(p, random);
    TimeModel model(topology);
    const LogicalPlan proxy = optimise(g, {.p = p});
    const std::string& name = g.ops()[random() % g.ops().size()].name;
    const Explanation why = explain(g, proxy, {.p = p}, name, &model);
    for (const Alternative& each : why.alternatives) {
      int64_t cells = 1;
      for (const auto& [index, count] : each.counts) cells *= count;
      if (cells < p) continue;  // which no pin asks for
      const Pins pins = {{name, {each.counts.begin(), each.counts.end()}}};
      const Candidates pinned(g, p, pins, communication_proxy(), Offer::divisors);
      const Choice best = choose_fastest(pinned, model, kBudget, 1)[0];
      ASSERT_TRUE(each.time.has_value());
      EXPECT_NEAR(each.time->total, static_cast<double>(best.cost.main) * 1e-6, 1e-9)
          << name << "\n"
          << text(g);
      EXPECT_NEAR(each.time->total, each.time->exchange + each.time->kernel, 1e-9);
      EXPECT_GE(each.time->more, 0);
      EXPECT_EQ(each.lost_by.empty(), each.time->more <= 0);
      ++compared;
    }
  }
  EXPECT_GT(compared, rounds(100, 1500));
}

TEST(TimeOptimizer, ExplainAnswersForEveryOperatorOfABlock) {
  const Graph g = workloads::llama({.seq = 8192, .dtype = DType::f16});
  const Topology topology = switched(8, 300);
  TimeModel model(topology);
  const Candidates candidates(g, 8, {}, communication_proxy(), Offer::divisors);
  const LogicalPlan plan = plan_of(candidates, choose_fastest(candidates, model, 10'000, 1)[0]);
  for (const GraphOp& op : g.ops()) {
    const Explanation why = explain(g, plan, {.p = 8}, op.name, &model);
    EXPECT_TRUE(why.alternatives.front().chosen || why.alternatives.front().time->more == 0);
    EXPECT_EQ(std::ranges::count(why.alternatives, true, &Alternative::chosen), 1) << op.name;
    EXPECT_NE(text(why).find("in planned ms"), std::string::npos);
  }
}

TEST(TimeOptimizer, PlansAreDifferentAndRepeat) {
  const Graph g = workloads::llama({.seq = 8192});
  for (int64_t p : {3, 8}) {
    const Topology topology = switched(p, 300);
    std::vector<std::vector<uint32_t>> first;
    for (int round = 0; round < 2; ++round) {
      TimeModel model(topology);
      const Candidates candidates(g, p, {}, communication_proxy(), Offer::divisors);
      std::vector<std::vector<uint32_t>> picks;
      for (const Choice& choice : choose_fastest(candidates, model, 10'000, 16)) {
        EXPECT_EQ(std::ranges::find(picks, choice.pick), picks.end());
        picks.push_back(choice.pick);
      }
      EXPECT_EQ(picks.size(), 16u);
      if (round == 0) first = picks;
      EXPECT_EQ(first, picks);
    }
  }
}

// Four consumers of one product read it whole: it is gathered once.
TEST(TimeOptimizer, ATensorNeededInOneLayoutIsDeliveredOnce) {
  Graph g;
  const TensorId x = g.input(DType::f32, {64, 64}, "x");
  const TensorId y = g.apply("relu", {x}, {}, "y")[0];
  for (const std::string name : {"a", "b", "c", "d"}) {
    g.save(g.apply("matmul", {y, g.parameter(DType::f32, {64, 64}, "w" + name)}, {}, name)[0]);
  }
  const Topology topology = switched(4, 10);
  TimeModel model(topology);
  Pins pins = {{"y", {{"i0", 4}}}};
  for (const std::string name : {"a", "b", "c", "d"}) pins[name] = {{"k", 4}};
  const Candidates candidates(g, 4, pins, communication_proxy(), Offer::divisors);
  const Choice best = choose_fastest(candidates, model, kBudget, 1)[0];
  const PlannedTime time = planned_time(g, specs_of(candidates, best.pick), model);
  // 3/4 of 16,384 bytes enter each site at 10 GB/s, and two latencies of 1 us do not.
  EXPECT_EQ(time.ops[1].exchange, 1000 + 1229);
  for (size_t i = 2; i < 5; ++i) EXPECT_EQ(time.ops[i].exchange, 0);
}

}  // namespace
}  // namespace einsummable
