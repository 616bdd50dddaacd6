// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/exchange_report.h"

#include <gtest/gtest.h>

#include <numeric>

#include "einsummable/base/error.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

int64_t transferred(const std::shared_ptr<const PhysicalPlan>& plan) {
  return transferred_bytes(lowered(plan, {.memory = Traits::Memory::private_sites}));
}

int64_t total_bytes(const std::vector<ExchangeReport>& exchanges) {
  return std::accumulate(exchanges.begin(), exchanges.end(), int64_t{0},
                         [](int64_t sum, const ExchangeReport& e) { return sum + e.bytes; });
}

void expect_times_above_bounds(const std::vector<ExchangeReport>& exchanges) {
  for (const ExchangeReport& exchange : exchanges) {
    EXPECT_GE(exchange.ms, exchange.bound_ms * (1 - 1e-9)) << exchange.op << ": " << exchange.proof;
    EXPECT_GE(exchange.gap().value_or(0), -1e-9) << exchange.op;
    EXPECT_FALSE(exchange.proof.empty()) << exchange.op;
  }
}

Graph layers(int64_t count) {
  return workloads::llama({.layers = count, .seq = 64, .d_model = 64, .head_dim = 2, .d_ff = 96});
}

TEST(ExchangeReport, CountsWhatIsTransferredInNoLessThanTheBound) {
  std::mt19937_64 random(3);
  for (int round = 0; round < rounds(30, 400); ++round) {
    const int64_t p = std::vector<int64_t>{1, 2, 3, 8}[random() % 4];
    const Graph g = random_graph(random, 1 + static_cast<int64_t>(random() % 8), DType::f32);
    const uint64_t seed = random();
    for (const Schedule& schedule : {Schedule{}, searched_for(p, seed)}) {
      const auto plan = plan_of(g, {.p = p, .selector = Selector::random, .seed = seed}, schedule);
      Topology topology = schedule.topology ? *schedule.topology : switched(p, 10);
      const int64_t bytes = transferred(plan);
      const auto exchanges = report_exchanges(*plan, topology);
      EXPECT_EQ(total_bytes(exchanges), bytes) << "round " << round;
      expect_times_above_bounds(exchanges);
      topology.handover = true;
      const auto handed_over = report_exchanges(*plan, topology);
      EXPECT_EQ(total_bytes(handed_over), bytes);
      expect_times_above_bounds(handed_over);
    }
  }
}

TEST(ExchangeReport, OfABlockNaiveAndSearched) {
  for (int64_t p : {1, 2, 3, 8}) {
    for (const Schedule& schedule : {Schedule{}, searched_for(p, 1)}) {
      const auto plan = plan_of(layers(1), {.p = p}, schedule);
      const auto exchanges =
          report_exchanges(*plan, schedule.topology ? *schedule.topology : switched(p, 10));
      EXPECT_EQ(total_bytes(exchanges), transferred(plan)) << "p = " << p;
      EXPECT_EQ(exchanges.empty(), p == 1);
      expect_times_above_bounds(exchanges);
    }
  }
}

// A product of rows, then of columns: each of two sites sends half of x to the other.
TEST(ExchangeReport, CanBeFollowedByHand) {
  Graph g;
  const TensorId x = g.input(DType::f32, {64, 64}, "x");
  const TensorId h = g.apply("matmul", {x, g.parameter(DType::f32, {64, 64}, "w")}, {}, "a")[0];
  g.save(g.apply("matmul", {h, g.parameter(DType::f32, {64, 64}, "v")}, {}, "b")[0]);
  const auto plan = plan_of(g, 2, {{"a", {{"i", 2}}}, {"b", {{"k", 2}}}});
  const auto exchanges = report_exchanges(*plan, switched(2, 1));
  ASSERT_EQ(exchanges.size(), 1u);
  const ExchangeReport& before = exchanges[0];
  EXPECT_EQ(before.op, "b");
  EXPECT_FALSE(before.save);
  EXPECT_EQ(before.bytes, 64 * 64 * 4);
  EXPECT_EQ(before.merges, 0);
  EXPECT_NEAR(before.ms, 64 * 32 * 4 / 1e6 + 1e-3, 1e-9);  // 1 GB/s each way, 1 us
  EXPECT_NEAR(before.bound_ms, before.ms, 1e-9);
  EXPECT_NEAR(before.gap().value(), 0, 1e-6);
  EXPECT_NE(before.proof.find("cut {0}"), std::string::npos) << before.proof;
}

TEST(ExchangeReport, OfASavedTensorHasItsName) {
  Graph g;
  const TensorId x = g.input(DType::f32, {8, 8}, "x");
  g.save(g.apply("matmul", {x, g.parameter(DType::f32, {8, 8}, "w")}, {}, "a")[0], "result");
  const auto exchanges = report_exchanges(*plan_of(g, 2, {{"a", {{"j", 2}}}}), switched(2, 1));
  ASSERT_EQ(exchanges.size(), 1u);
  EXPECT_EQ(exchanges[0].op, "result");
  EXPECT_TRUE(exchanges[0].save);
  EXPECT_EQ(exchanges[0].bytes, 8 * 8 * 4);
  EXPECT_EQ(exchanges[0].merges, 1);
}

// The layers of a model have the entries that one of them has.
TEST(ExchangeReport, OfLayersIsThatOfEach) {
  for (const Schedule& schedule : {Schedule{}, searched_for(4, 2)}) {
    const Topology topology = schedule.topology ? *schedule.topology : switched(4, 10);
    const auto three = report_exchanges(*plan_of(layers(3), {.p = 4}, schedule), topology);
    const auto five = report_exchanges(*plan_of(layers(5), {.p = 4}, schedule), topology);
    const auto of_layer = [](const std::vector<ExchangeReport>& all, int layer) {
      std::vector<ExchangeReport> out;
      const std::string prefix = "layers." + std::to_string(layer) + ".";
      for (ExchangeReport e : all) {
        if (!e.op.starts_with(prefix)) continue;
        e.op = e.op.substr(prefix.size());
        out.push_back(e);
      }
      return out;
    };
    const auto one = of_layer(three, 1);
    EXPECT_GT(one.size(), 2u);
    for (int layer = 1; layer < 4; ++layer) {
      const auto same = of_layer(five, layer);
      ASSERT_EQ(same.size(), one.size());
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(std::tie(one[i].op, one[i].bytes, one[i].ms, one[i].bound_ms, one[i].proof),
                  std::tie(same[i].op, same[i].bytes, same[i].ms, same[i].bound_ms, same[i].proof));
      }
    }
  }
}

// Programs that are alike but for a size, a split or an action are told apart.
TEST(ExchangeReport, IsThatOfEachStepAlone) {
  const auto whole = plan_of(layers(2), {.p = 3}, searched_for(3, 5));
  std::mt19937_64 random(5);
  const Topology topology = linked(3, random);
  PhysicalPlan alone = *whole;
  std::vector<ExchangeReport> each;
  for (const ExchangeStep& step : whole->steps) {
    alone.steps = {step};
    for (ExchangeReport& e : report_exchanges(alone, topology)) each.push_back(std::move(e));
  }
  const auto all = report_exchanges(*whole, topology);
  ASSERT_EQ(all.size(), each.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::tie(all[i].op, all[i].bytes, all[i].ms, all[i].bound_ms),
              std::tie(each[i].op, each[i].bytes, each[i].ms, each[i].bound_ms));
  }
}

TEST(ExchangeReport, GapIsNoneOverABoundOfNothing) {
  EXPECT_DOUBLE_EQ(gap(3, 2).value(), 0.5);
  EXPECT_EQ(gap(0, 0), 0.0);
  EXPECT_EQ(gap(1, 0), std::nullopt);
}

TEST(ExchangeReport, SaysWhereSitesAreTooFewOrHaveNoWay) {
  const auto plan = plan_of(layers(1), {.p = 4});
  const auto reason = [&](const Topology& topology) -> std::string {
    try {
      report_exchanges(*plan, topology);
    } catch (const TopologyError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason(switched(3, 1)).find("the plan is for 4 sites, test has 3"), std::string::npos);
  Topology apart = switched(4, 1);
  std::ranges::fill(apart.route_of, -1);
  EXPECT_TRUE(reason(apart).starts_with("the exchange before \"")) << reason(apart);
  EXPECT_NE(reason(apart).find("there is no way from site"), std::string::npos) << reason(apart);
}

}  // namespace
}  // namespace einsummable
