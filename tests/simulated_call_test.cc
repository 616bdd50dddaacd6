// SPDX-License-Identifier: Apache-2.0
#include "einsummable/simulated_call.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/physical/exchange_report.h"
#include "einsummable/prediction.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/plans.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

std::shared_ptr<const PhysicalPlan> block_on(int64_t p, const Schedule& schedule = {}) {
  return plan_of(workloads::llama({.seq = 64, .d_model = 64, .head_dim = 2, .d_ff = 96}), {.p = p},
                 schedule);
}

// One after the other on each device and between each ordered pair of sites.
void expect_no_overlap(const std::vector<SimulatedTask>& tasks) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<double, double>>> lanes;
  for (const SimulatedTask& task : tasks) {
    lanes[{task.source, task.span.site}].emplace_back(task.span.start,
                                                      task.span.start + task.span.seconds);
  }
  for (auto& [lane, spans] : lanes) {
    std::ranges::sort(spans);
    for (size_t i = 1; i < spans.size(); ++i) {
      EXPECT_GE(spans[i].first, spans[i - 1].second - 1e-12) << lane.first << "->" << lane.second;
    }
  }
}

TEST(SimulatedCall, IsTheOneThatIsPredicted) {
  for (int64_t p : {1, 2, 3, 8}) {
    for (const Schedule& schedule : {Schedule{}, searched_for(p, 1)}) {
      const auto plan = block_on(p, schedule);
      const Topology topology = schedule.topology ? *schedule.topology : switched(p, 10);
      const auto tasks = simulate_call(*plan, topology);
      double end = 0;
      int64_t bytes = 0;
      for (const SimulatedTask& task : tasks) {
        EXPECT_EQ(task.source >= 0, task.span.work == "transfer");
        EXPECT_NE(task.source, task.span.site);
        EXPECT_EQ(task.bytes > 0, task.source >= 0);
        end = std::max(end, task.span.start + task.span.seconds);
        bytes += task.bytes;
      }
      EXPECT_NEAR(end * 1e3, predict(*plan, topology, schedule).simulated, 1e-9);
      int64_t exchanged = 0;
      for (const ExchangeReport& e : report_exchanges(*plan, topology)) exchanged += e.bytes;
      EXPECT_EQ(bytes, exchanged);
      expect_no_overlap(tasks);
    }
  }
}

TEST(SimulatedCall, SaysWhereSitesAreTooFewOrHaveNoWay) {
  const auto plan = block_on(4);
  EXPECT_THROW(simulate_call(*plan, switched(3, 1)), TopologyError);
  Topology apart = switched(4, 1);
  std::ranges::fill(apart.route_of, -1);
  EXPECT_THROW(simulate_call(*plan, apart), TopologyError);
}

}  // namespace
}  // namespace einsummable
