// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "tests/exchange/bounds_machines.h"

namespace einsummable::exchange {
namespace {

// A program whose OUT may stand on the line of IN.
Program read(std::string text) {
  const size_t out = text.find(" OUT:");
  if (out != std::string::npos) text[out] = '\n';
  ParseVerdict verdict = parse(text);
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  return std::move(verdict.program);
}

void expect_bound(const Bound& bound, double ms, const std::string& proof) {
  EXPECT_NEAR(bound.ms, ms, 1e-3 * ms);
  EXPECT_EQ(bound.proof, proof);
}

Bound ideal(const std::string& text, const Topology& machine) {
  return lower_bound(read(text), machine, {.ideal = true});
}

// 0 - 1 - 2 in a row: 10 and 40 GB/s.
Topology row() {
  const std::vector<TestLink> links = {{0, 1, 10}, {1, 2, 40}};
  return linked_machine(3, links, 0, 100);
}

TEST(BoundsTest, WhatMustLeaveASet) {
  expect_bound(ideal("IN: A @ 0; B @ 0 OUT: A @ 2; B @ 1", row()), 200,
               "cut {0}: 2 GB leave over 10 GB/s");
}

TEST(BoundsTest, NothingToDo) {
  expect_bound(ideal("IN: A @ 0 OUT: A @ 0", row()), 0, "nothing to do");
  expect_bound(ideal("IN: A @ 0 OUT:", row()), 0, "nothing to do");
  expect_bound(quick_bound(read("IN: A @ 0 OUT: A @ 0"), CutTable(row())), 0, "nothing to do");
}

TEST(BoundsTest, ABusCountsOnceBothWays) {
  const Topology bus = linked_machine(4, {}, 10, 100);
  expect_bound(ideal("IN: A @ 0; B @ 2 OUT: A @ 2; B @ 0", bus), 200,
               "cut {0}: 2 GB cross both ways over 10 GB/s");
  expect_bound(ideal("IN: A @ 0; B @ 2 OUT: A @ 1; B @ 3", bus), 200,
               "cut {0,2}: 2 GB leave over 10 GB/s");
}

TEST(BoundsTest, ACopyAnywhereIsASource) {
  expect_bound(ideal("IN: A @ 0, 1 OUT: A @ 2", row()), 25, "cut {0,1}: 1 GB leave over 40 GB/s");
  expect_bound(ideal("IN: A @ 0, 2 OUT: A @ 2", row()), 0, "nothing to do");
}

// What is required twice, or within something else that is required, need not pass twice.
TEST(BoundsTest, WhatOneTransferServesCountsOnce) {
  expect_bound(ideal("IN: A @ 0 OUT: A @ 1; A @ 2", row()), 100,
               "cut {0}: 1 GB leave over 10 GB/s");
  expect_bound(ideal("IN: A @ 0; B @ 1 OUT: A @ 1; A+B @ 1", row()), 100,
               "cut {0}: 1 GB leave over 10 GB/s");
  expect_bound(ideal("IN: A @ 0; B @ 0; C @ 1 OUT: A+C @ 1; A+B+C @ 1", row()), 200,
               "cut {0}: 2 GB leave over 10 GB/s");
}

TEST(BoundsTest, CompleteAggregatesMayBeSmaller) {
  const std::string in = "IN: A @ 0 (size: 1 GB); B @ 0; C @ 1\n";
  expect_bound(ideal(in + "OUT: A+B @ 1 (size: 500 MB)", row()), 50,
               "cut {0}: 500 MB leave over 10 GB/s");
  expect_bound(ideal(in + "OUT: A+C @ 1 (size: 500 MB)", row()), 50,
               "cut {0}: 500 MB leave over 10 GB/s");
}

TEST(BoundsTest, WhatIsFormedPassesMemory) {
  // 4 GB through the memories of 1 and 2, or else formed at 0, and a byte that comes from there
  // saves 4: 4 GB over 2 * 100 + 4 * 10 GB/s.
  expect_bound(ideal("GPUS: 0, 1, 2\nIN: A @ 1; B @ 1; C @ 1 OUT: A+B+C @ 1", row()), 4000.0 / 240,
               "HBM of {1,2}");
  const Topology alone = linked_machine(1, {}, 0, 100);
  expect_bound(ideal("IN: A @ 0; B @ 0 OUT: A+B @ 0", alone), 30, "HBM of site 0");
  expect_bound(ideal("IN: A @ 0; B @ 0; A+B @ 0 OUT: A+B @ 0", alone), 0, "nothing to do");
}

// A enters 2 from 3 and 4, B leaves 3 to 0 and 2: 2 GB over the three links 3->0, 3->2 and 4->2,
// which are no cut.
TEST(BoundsTest, FlowsShareWhatNoCutShows) {
  const std::vector<TestLink> links = {{0, 1, 10}, {0, 3, 10}, {0, 4, 10},
                                       {1, 4, 10}, {2, 3, 10}, {2, 4, 10}};
  const Topology machine = linked_machine(5, links, 0, 100);
  const std::string text = "GPUS: 0, 1, 2, 3, 4\nIN: A @ 4; B @ 3 OUT: A @ 2; B @ 4";
  expect_bound(ideal(text, machine), 2000.0 / 30, "exact flow");
  expect_bound(quick_bound(read(text), CutTable(machine), {.ideal = true}), 50,
               "cut {3}: 1 GB leave over 20 GB/s");
}

TEST(BoundsTest, SitesOnOneDeviceAreOnePlace) {
  const std::vector<int32_t> devices = {0, 0, 2};
  const Topology machine = on_devices(row(), devices);
  expect_bound(ideal("IN: A @ 0; B @ 1 OUT: A @ 1; B @ 0", machine), 0, "nothing to do");
  EXPECT_TRUE(std::isinf(ideal("IN: A @ 0 OUT: A @ 2", machine).ms));  // 1 is not there
  expect_bound(ideal("IN: A @ 0; B @ 1 OUT: A+B @ 0", machine), 30, "HBM of all sites");
}

TEST(BoundsTest, SharedMemoryMovesNothing) {
  Topology machine = linked_machine(3, {}, 10, 100);
  machine.handover = true;
  expect_bound(ideal("IN: A @ 0 OUT: A @ 1, 2", machine), 0, "nothing to do");
}

TEST(BoundsTest, NothingPassesBeforeItsLatency) {
  Topology machine = row();
  for (Route& route : machine.routes) route.latency_us = 1000;
  for (Device& device : machine.devices) device.kernel_latency_us = 500;
  const std::string all = "GPUS: 0, 1, 2\n", large = all + "IN: A @ 0 OUT: A @ 1";
  expect_bound(lower_bound(read(large), machine), 101, "cut {0}: 1 GB leave over 10 GB/s");
  const std::string far = all + "IN: A @ 0 (size: 1 B) OUT: A @ 2";
  const std::string sum = all + "IN: A @ 0 (size: 1 B); B @ 2 (size: 1 B) OUT: A+B @ 2";
  expect_bound(lower_bound(read(far), machine), 2, "latency from site 0 to 2");
  expect_bound(lower_bound(read(sum), machine), 2.5, "latency from site 0 to 2");
  expect_bound(ideal(large, machine), 100, "cut {0}: 1 GB leave over 10 GB/s");
}

TEST(BoundsTest, OpenPartitionsTakeTheLeast) {
  const std::string text =
      "GPUS: 0, 1, 2\nPARTITIONS: P {size 1} Q {size 2}\nIN: A @ 0; B @ 2\nOUT: A @ P; B @ Q\n";
  const Bound bound = ideal(text, row());
  expect_bound(bound, 25, "cut {2}: 1 GB leave over 40 GB/s");
  EXPECT_EQ(bound.members, (Members{{SiteId(0)}, {SiteId(1), SiteId(2)}}));
  const Bound given = lower_bound(
      read(text), row(), {.ideal = true, .members = {{SiteId(2)}, {SiteId(0), SiteId(1)}}});
  expect_bound(given, 100, "cut {0}: 1 GB leave over 10 GB/s");
}

// Too many memberships to try: the least over all of them is at least this.
TEST(BoundsTest, ManyMemberships) {
  const Topology machine = switched_machine(2, 8, 300, 25, 1000);
  std::string text = "GPUS: 0";
  for (int site = 1; site < 16; ++site) text += ", " + std::to_string(site);
  text += "\nPARTITIONS: P {size 6} Q {size 10}\nIN: A @ 0\nOUT: A @ Q\n";
  expect_bound(ideal(text, machine), 1000 / 200.0,
               "cut {0,1,2,3,4,5,6,7}: 1 GB leave over 200 GB/s");
}

TEST(BoundsTest, MoreSitesThanPlaces) {
  const Topology machine = switched_machine(1, 200, 300, 25, 1000);
  expect_bound(ideal("IN: A @ 0 OUT: A @ 1, 2, 3", machine), 1000 / 300.0,
               "cut {0}: 1 GB leave over 300 GB/s");
}

TEST(BoundsTest, NoWayIsInfinite) {
  const Topology machine = linked_machine(2, {}, 0, 100);
  const Bound bound = ideal("IN: A @ 0 OUT: A @ 1", machine);
  EXPECT_TRUE(std::isinf(bound.ms));
  EXPECT_EQ(bound.proof, "cut {0}: 1 GB leave, and there is no way");
}

template <class Wanted>
std::string message(const std::string& text, const Topology& machine, const Members& members = {}) {
  try {
    lower_bound(read(text), machine, {.members = members});
  } catch (const Wanted& error) {
    return error.what();
  }
  return "";
}

TEST(BoundsTest, Refusals) {
  EXPECT_EQ(message<TopologyError>("IN: A @ 0 OUT: A @ 7", row()),
            "site 7 is not on test, which has sites 0 to 2");
  EXPECT_EQ(message<ExchangeError>("IN: A+B @ 0; B @ 0 OUT: A @ 1", row()),
            "OUT asks for A, but nothing in IN of which it can be formed has A");
  const std::string open =
      "GPUS: 0, 1, 2\nPARTITIONS: P {size 1} Q {size 2}\nIN: A @ 0\nOUT: A @ Q\n";
  EXPECT_EQ(message<ExchangeError>(open, row(), {{}, {SiteId(1)}}),
            "partition Q has size 2, but members for it are 1");
}

}  // namespace
}  // namespace einsummable::exchange
