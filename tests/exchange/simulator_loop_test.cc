// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_loop.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/exchange/simulator_machines.h"

namespace einsummable::exchange {
namespace {

// Two sites with a link of 1 GB/s each way; memories of 4 GB/s.
Topology two_sites() {
  Topology t = empty_machine(2, 4);
  set_route(t, 0, 1, {{add_resource(t, Resource::Kind::link, "link 0->1", 1)}, 1000});
  set_route(t, 1, 0, {{add_resource(t, Resource::Kind::link, "link 1->0", 1)}, 1000});
  for (Device& d : t.devices) d.kernel_latency_us = 500;
  return t;
}

// Two parts of 1 MB and 3 MB go from site 0 to site 1, which adds them.
Lowered two_parts() {
  Lowered p;
  p.items = {{0, true, 1'000'000},
             {0, true, 3'000'000},
             {1, false, 1'000'000},
             {1, false, 3'000'000},
             {1, false, 4'000'000}};
  p.transfers = {{0, 2}, {1, 3}};
  p.forms = {{4, 0, 2}};
  p.parts = {2, 3};
  return p;
}

TEST(SimulatorLoop, TellsWhenEachStepStartsAndWhy) {
  const Topology topology = two_sites();
  SimulatorLoop loop(topology, Latencies::none);
  const Lowered program = two_parts();
  EXPECT_DOUBLE_EQ(loop.run(program), 6);  // 1 ms and 3 ms on the link, then 8 MB at 4 GB/s
  EXPECT_EQ(loop.start_ms(0), 0);
  EXPECT_DOUBLE_EQ(loop.end_ms(0), 1);
  EXPECT_DOUBLE_EQ(loop.start_ms(1), 1);
  EXPECT_EQ(loop.cause(0), -1);
  EXPECT_EQ(loop.cause(1), 0);
  EXPECT_EQ(loop.cause(2), 1);
  EXPECT_EQ(loop.producer(4), 2);
  EXPECT_EQ(loop.producer(0), -1);
  EXPECT_EQ(std::vector<int32_t>(loop.arrivals().begin(), loop.arrivals().end()),
            (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(loop.flow().bytes(0), 4e6);
}

TEST(SimulatorLoop, RunsAgainInAnotherOrderAndWithLatencies) {
  const Topology topology = two_sites();
  const Lowered program = two_parts();
  SimulatorLoop loop(topology, Latencies::stated);
  EXPECT_DOUBLE_EQ(loop.run(program), 8.5);  // 1 ms more a transfer, 0.5 ms the kernel
  const std::vector<int32_t> order = {1, 0};
  EXPECT_DOUBLE_EQ(loop.run(program, order), 8.5);
  EXPECT_EQ(loop.start_ms(1), 0);
  EXPECT_DOUBLE_EQ(loop.start_ms(0), 4);
  EXPECT_DOUBLE_EQ(loop.run(program), 8.5);
  EXPECT_EQ(loop.start_ms(0), 0);
}

TEST(SimulatorLoop, SkipsWhatIsThere) {
  const Topology topology = two_sites();
  SimulatorLoop loop(topology, Latencies::none);
  Lowered program = two_parts();
  program.items[2].given = true;
  EXPECT_DOUBLE_EQ(loop.run(program), 5);
  EXPECT_TRUE(loop.skipped(0));
  EXPECT_FALSE(loop.skipped(1));
}

TEST(SimulatorLoop, GoesOnAfterAMistake) {
  Topology topology = two_sites();
  topology.route_of[1] = -1;
  SimulatorLoop loop(topology, Latencies::none);
  const Lowered program = two_parts();
  EXPECT_THROW(loop.run(program), TopologyError);
  Lowered other = program;
  other.items[2].site = 5;
  EXPECT_THROW(loop.run(other), TopologyError);
  Lowered stuck = program;
  stuck.transfers.clear();
  EXPECT_THROW(loop.run(stuck), InternalError);
  Lowered still;
  still.items = {{1, true, 1}};
  EXPECT_EQ(loop.run(still), 0);
}

// Makes a form of its first part as soon as that is there.
class FirstPart final : public PartsChoice {
 public:
  void arrived(int32_t, int32_t part) override { there_ |= part == 2; }
  std::span<const int32_t> choose(int32_t) override {
    return there_ ? std::span<const int32_t>(first_) : std::span<const int32_t>();
  }

 private:
  bool there_ = false;
  const std::vector<int32_t> first_ = {2};
};

TEST(SimulatorLoop, LeavesTheChoiceOfPartsToOthers) {
  const Topology topology = two_sites();
  SimulatorLoop loop(topology, Latencies::none);
  FirstPart choice;
  EXPECT_DOUBLE_EQ(loop.run(two_parts(), {}, &choice), 4);
  EXPECT_DOUBLE_EQ(loop.start_ms(2), 1);
  EXPECT_DOUBLE_EQ(loop.end_ms(2), 2.25);  // 5 MB at 4 GB/s
}

}  // namespace
}  // namespace einsummable::exchange
