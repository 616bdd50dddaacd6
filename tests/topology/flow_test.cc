// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/flow.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Ended = std::vector<int32_t>;

int32_t route(Flow& flow, std::vector<int32_t> resources) { return flow.add_route(resources); }

TEST(Flow, SharesAResourceEqually) {
  Flow flow({10});
  const int32_t way = route(flow, {0});
  Ended ended;
  flow.start(0, {.route = way, .bytes = 1e9});
  flow.start(1, {.route = way, .bytes = 2e9});
  ASSERT_TRUE(flow.advance(ended));
  EXPECT_EQ(ended, Ended{0});
  EXPECT_DOUBLE_EQ(flow.now(), 200);
  ASSERT_TRUE(flow.advance(ended));
  EXPECT_EQ(ended, Ended{1});
  EXPECT_DOUBLE_EQ(flow.now(), 300);
  EXPECT_FALSE(flow.advance(ended));
  EXPECT_DOUBLE_EQ(flow.bytes(0), 3e9);
  EXPECT_DOUBLE_EQ(flow.busy_ms(0), 300);
}

// 0 and 1 share the first resource, 1 and 2 the second: 1 and 0 get 5, 2 what 1 leaves, 15.
TEST(Flow, GivesWhatOthersCannotUse) {
  Flow flow({10, 20});
  const int32_t first = route(flow, {0}), both = route(flow, {0, 1}), second = route(flow, {1});
  flow.start(0, {.route = first, .bytes = 5e6});
  flow.start(1, {.route = both, .bytes = 5e6});
  flow.start(2, {.route = second, .bytes = 15e6});
  Ended ended;
  ASSERT_TRUE(flow.advance(ended));
  EXPECT_EQ(ended, (Ended{0, 1, 2}));
  EXPECT_DOUBLE_EQ(flow.now(), 1);
}

// Those of both ways of a resource, as both start and as one ends; not those of one apart.
TEST(Flow, CountsTheRatesItSought) {
  Flow flow({10, 10});
  const int32_t near = route(flow, {0}), far = route(flow, {0}), apart = route(flow, {1});
  Ended ended;
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(flow.rates_sought(), 0);
    flow.start(0, {.route = near, .bytes = 1e6});
    flow.start(1, {.route = far, .bytes = 2e6});
    flow.start(2, {.route = apart, .bytes = 9e6});
    ASSERT_TRUE(flow.advance(ended));
    EXPECT_EQ(flow.rates_sought(), 3);
    ASSERT_TRUE(flow.advance(ended));
    EXPECT_EQ(ended, Ended{1});
    EXPECT_EQ(flow.rates_sought(), 4);
    flow.reset();
  }
}

TEST(Flow, WaitsForDelaysAndEndsTogetherWhatEndsAtOnce) {
  Flow flow({1});
  const int32_t way = route(flow, {0}), hand_over = route(flow, {});
  flow.start(7, {.route = way, .bytes = 1e6, .delay_ms = 2});
  flow.start(3, {.delay_ms = 3});
  flow.start(5, {.route = hand_over, .bytes = 1e9, .delay_ms = 3});
  flow.start(1, {});
  Ended ended;
  ASSERT_TRUE(flow.advance(ended));
  EXPECT_EQ(ended, Ended{1});
  EXPECT_EQ(flow.now(), 0);
  ASSERT_TRUE(flow.advance(ended));
  EXPECT_EQ(ended, (Ended{3, 5, 7}));
  EXPECT_DOUBLE_EQ(flow.now(), 3);
  EXPECT_DOUBLE_EQ(flow.busy_ms(0), 1);
}

TEST(Flow, BeginsAnewAfterAReset) {
  Flow flow({1});
  const int32_t way = route(flow, {0});
  Ended ended;
  for (int round = 0; round < 3; ++round) {
    flow.start(0, {.route = way, .bytes = 1e6});
    flow.start(1, {.route = way, .bytes = 2e6});
    ASSERT_TRUE(flow.advance(ended));
    EXPECT_DOUBLE_EQ(flow.now(), 2);
    flow.reset();
    EXPECT_EQ(flow.bytes(0), 0);
    EXPECT_FALSE(flow.advance(ended));
  }
}

TEST(Flow, RefusesBandwidthsThatAreNone) {
  for (double gbps : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(Flow({1, gbps}), TopologyError);
  }
  Topology topology;
  topology.name = "box";
  topology.devices.emplace_back().name = "3";
  try {
    flow_over(topology);
    FAIL();
  } catch (const TopologyError& error) {
    EXPECT_STREQ(error.what(), "device 3 of box does not state the bandwidth of its memory");
  }
}

// Rates as the definition has them: all rise together; those through a full resource stay.
std::map<int32_t, double> plain_rates(const std::vector<double>& gbps,
                                      const std::map<int32_t, std::vector<int32_t>>& jobs) {
  std::vector<double> left = gbps;
  std::map<int32_t, double> rates;
  std::set<int32_t> rising;
  for (const auto& [job, resources] : jobs) rising.insert(job);
  while (!rising.empty()) {
    std::vector<int> users(gbps.size(), 0);
    for (int32_t job : rising) {
      for (int32_t r : jobs.at(job)) ++users[static_cast<size_t>(r)];
    }
    double by = std::numeric_limits<double>::infinity();
    for (size_t r = 0; r < gbps.size(); ++r) {
      if (users[r] > 0) by = std::min(by, left[r] / users[r]);
    }
    std::set<int32_t> full;
    for (size_t r = 0; r < gbps.size(); ++r) {
      if (users[r] > 0 && left[r] / users[r] <= by * (1 + 1e-12)) full.insert(static_cast<int>(r));
      left[r] -= by * users[r];
    }
    for (auto job = rising.begin(); job != rising.end();) {
      rates[*job] += by;
      const bool stays =
          std::ranges::any_of(jobs.at(*job), [&](int32_t r) { return full.contains(r); });
      job = stays ? rising.erase(job) : std::next(job);
    }
  }
  return rates;
}

// Jobs come and go; the times at which they end are those of plain rates at all times.
TEST(Flow, HasMaxMinFairRatesAtAllTimes) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
    std::vector<double> gbps(static_cast<size_t>(3 + below(8)));
    for (double& g : gbps) g = 1 + below(50);
    Flow flow(gbps);
    std::vector<std::vector<int32_t>> routes;
    for (int k = 0; k < 12; ++k) {
      std::set<int32_t> some;
      for (int n = 1 + below(3); n > 0; --n) some.insert(below(gbps.size()));
      routes.emplace_back(some.begin(), some.end());
      route(flow, routes.back());
    }
    std::map<int32_t, std::vector<int32_t>> jobs;
    std::map<int32_t, double> left;
    int32_t next = 0;
    double now = 0;
    Ended ended;
    while (next < 200 || !jobs.empty()) {
      for (int n = below(4); n > 0 && next < 200; --n, ++next) {
        const int32_t way = below(routes.size());
        left[next] = 1e6 * (1 + below(1000));
        jobs[next] = routes[static_cast<size_t>(way)];
        flow.start(next, {.route = way, .bytes = left[next]});
      }
      if (jobs.empty()) continue;
      ASSERT_TRUE(flow.advance(ended));
      const auto rates = plain_rates(gbps, jobs);
      for (auto& [job, bytes] : left) bytes -= rates.at(job) * 1e6 * (flow.now() - now);
      now = flow.now();
      for (int32_t job : ended) {
        ASSERT_NEAR(left.at(job), 0, 1) << "seed " << seed;
        jobs.erase(job);
        left.erase(job);
      }
      for (const auto& [job, bytes] : left) ASSERT_GT(bytes, -1) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace einsummable
