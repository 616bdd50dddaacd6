// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/exchange_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/topologies.h"

namespace einsummable {
namespace {

using Sites = std::vector<int32_t>;

// A vector of 1e9 elements, of one byte each, in equal parts.
constexpr int64_t kLength = 1'000'000'000;
constexpr ElementBytes kBytes = {1, 1};

Sites all(int32_t sites) {
  Sites out;
  for (int32_t s = 0; s < sites; ++s) out.push_back(s);
  return out;
}

Layout parts(int32_t sites, int32_t first = 0) {
  Layout out;
  for (int32_t s = 0; s < sites; ++s) {
    out.blocks.push_back(
        {Box{{kLength * s / sites, kLength * (s + 1) / sites}}, {(first + s) % sites}});
  }
  return out;
}

Layout whole_at(Sites sites) { return {.blocks = {{Box{{0, kLength}}, std::move(sites)}}}; }

Layout partials(int32_t sites) {
  Layout out = whole_at(all(sites));
  out.partial = true;
  return out;
}

Topology ideal(Topology topology) {
  for (Device& device : topology.devices) device.kernel_latency_us = 0;
  for (Route& route : topology.routes) route.latency_us = 0;
  return topology;
}

// The bounds of EXPROG.md section 7 for a DGX A100: 300 GB/s into and out of each of 8 sites.
TEST(ExchangeTime, OnASwitchIsThatOfTheCollectives) {
  const ExchangeTime time(ideal(switched(8, 300)));
  // All-gather of 8 parts of 1/8 GB: 7/8 GB enter each site.
  EXPECT_NEAR(time.seconds(parts(8), whole_at(all(8)), kBytes), 7.0 / 8 / 300, 1e-12);
  // Reduce-scatter: 7 partials of 1/8 GB enter each, and 9/8 GB go through 1000 GB/s of memory.
  EXPECT_NEAR(time.seconds(partials(8), parts(8), kBytes), 7.0 / 8 / 300 + 9.0 / 8 / 1000, 1e-12);
  // All-reduce: the one after the other.
  EXPECT_NEAR(time.seconds(partials(8), whole_at(all(8)), kBytes),
              2 * 7.0 / 8 / 300 + 9.0 / 8 / 1000, 1e-12);
  // Broadcast: 1 GB enters each; the sites send it on to each other.
  EXPECT_NEAR(time.seconds(whole_at({0}), whole_at(all(8)), kBytes), 1.0 / 300, 1e-12);
  // Every part moves to the next site.
  EXPECT_NEAR(time.seconds(parts(8), parts(8, 1), kBytes), 1.0 / 8 / 300, 1e-12);
}

TEST(ExchangeTime, OfWhatIsThereIsNothing) {
  const ExchangeTime time(switched(8, 300));
  EXPECT_EQ(time.seconds(parts(8), parts(8), kBytes), 0);
  EXPECT_EQ(time.seconds(whole_at(all(8)), parts(8), kBytes), 0);
  EXPECT_EQ(time.seconds({}, whole_at(all(8)), kBytes), 0);
}

TEST(ExchangeTime, EachStepHasItsLatency) {
  const ExchangeTime time(switched(4, 1e9));
  EXPECT_NEAR(time.seconds(parts(4), whole_at(all(4)), kBytes), 1e-6, 1e-7);
  // Send, merge, send.
  const double merge = 5.0 / 4 / 1000;
  EXPECT_NEAR(time.seconds(partials(4), whole_at(all(4)), kBytes), merge + 3e-6, 1e-7);
}

TEST(ExchangeTime, PartialsThatAreWiderTravelWider) {
  const ExchangeTime time(ideal(switched(2, 100)));
  const double wide = time.seconds(partials(2), parts(2), {4, 2});
  EXPECT_NEAR(wide, 0.5 * 4 / 100 + 0.5 * (2 * 4 + 2) / 1000, 1e-12);
}

// Where sites share one memory nothing moves; merging still goes through it.
TEST(ExchangeTime, AHandOverTakesItsLatency) {
  Topology shared = switched(4, 1);
  shared.handover = true;
  const ExchangeTime time(shared);
  EXPECT_NEAR(time.seconds(parts(4), whole_at(all(4)), kBytes), 1e-6, 1e-12);
}

// Sites 0 and 2 have no link, only a slow bus; over site 1 it is faster.
TEST(ExchangeTime, BytesTakeTheCheapestWay) {
  Topology topology = ideal(switched(3, 1));
  topology.resources = {{Resource::Kind::link, "01", 50},
                        {Resource::Kind::link, "12", 50},
                        {Resource::Kind::bus, "bus", 1}};
  topology.routes = {{{ResourceId(0)}, 0}, {{ResourceId(1)}, 0}, {{ResourceId(2)}, 0}};
  topology.route_of = {-1, 0, 2, 0, -1, 1, 2, 1, -1};
  const ExchangeTime time(topology);
  EXPECT_NEAR(time.seconds(whole_at({0}), whole_at({2}), kBytes), 1.0 / 50, 1e-12);
}

TEST(ExchangeTime, WithoutAWayIsNever) {
  Topology apart = switched(3, 10);
  apart.route_of[2] = apart.route_of[5] = -1;  // site 2 receives nothing
  const ExchangeTime time(apart);
  EXPECT_TRUE(std::isinf(time.seconds(whole_at({0}), whole_at({2}), kBytes)));
  EXPECT_FALSE(std::isinf(time.seconds(whole_at({0}), whole_at({1}), kBytes)));
}

TEST(ExchangeTime, IsASwitchsWhereAllWaysAreAlike) {
  Topology topology = switched(4, 100);
  EXPECT_TRUE(ExchangeTime(topology).as_switch());
  Topology uneven = topology;
  uneven.routes[1].latency_us += 1;
  EXPECT_FALSE(ExchangeTime(uneven).as_switch());
  Topology apart = topology;
  apart.route_of[1] = -1;
  EXPECT_FALSE(ExchangeTime(apart).as_switch()) << "bytes go over another site";
  std::mt19937_64 random(1);
  EXPECT_FALSE(ExchangeTime(linked(4, random)).as_switch());
}

}  // namespace
}  // namespace einsummable
