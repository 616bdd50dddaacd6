// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/simulator.h"
#include "tests/support/rounds.h"
#include "tests/synthesis/preambles.h"
#include "tests/synthesis/topologies.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

struct Case {
  Program preamble;
  std::vector<Commodity> commodities;
  Packing packing;
  Pieces pieces;
  Candidate candidate;
};

// A packing of the preamble in pieces of about `q` bytes.
Case cut(const Program& preamble, const Topology& topology, double q) {
  Case c;
  c.preamble = preamble;
  c.commodities = commodities_of(preamble, *preamble.members()).commodities;
  const Network network(topology, preamble.sites());
  c.packing = pack(network, c.commodities)[0];
  c.pieces = Cutter(preamble, c.commodities, c.packing).cut(q);
  c.candidate = candidate_of(c.preamble, network, c.commodities, c.packing, c.pieces);
  return c;
}

// Whether nothing in a candidate can come to be in another way than the one it took: no demands
// share atoms, and no part is at several sites.
bool told_apart(const Case& c) {
  std::vector<bool> seen(c.preamble.atoms().size(), false);
  for (const Commodity& commodity : c.commodities) {
    for (const Terminal& t : commodity.terminals) {
      if (!commodity.formed && t.holders.size() > 1) return false;
    }
    for (const Demand& d : commodity.demands) {
      for (AtomId a : c.preamble.atoms(d.aggregate)) {
        if (seen[a.index()]) return false;
        seen[a.index()] = true;
      }
    }
  }
  return true;
}

// The program of a candidate in any order is valid, and takes the time that the candidate takes.
const Interruption never;

TEST(Candidate, IsAValidProgramOfTheSameTime) {
  std::mt19937_64 random(8);
  const Topology v100 = machine("dgx-v100", 8), a100 = machine("dgx-a100", 8);
  int compared = 0;
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    const Topology& topology = round % 2 == 0 ? v100 : a100;
    const Program preamble = random_demands(static_cast<int32_t>(2 + random() % 7), random);
    const Case c = cut(preamble, topology, std::pow(10, 5 + static_cast<double>(random() % 5)));
    if (c.commodities.empty() || c.candidate.steps.size() > 5'000) continue;
    std::vector<int32_t> order(c.candidate.steps.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const Program program =
        program_of(c.preamble, Network(topology, preamble.sites()), c.pieces, c.candidate, order);
    const Verdict verdict = check(program);
    ASSERT_TRUE(verdict.ok()) << verdict.reason << print(program);
    SimulatorLoop loop(topology, Latencies::stated);
    const double ms = loop.run(c.candidate.lowered, order);
    const Simulation simulation = simulate(program, topology);
    if (!told_apart(c)) continue;
    ++compared;
    ASSERT_NEAR(simulation.ms, ms, 1e-6 * ms) << print(program);
  }
  EXPECT_GT(compared, rounds(60, 2'000) / 10);
}

TEST(Order, BackwardTurnsTransfersAround) {
  const Topology a100 = machine("dgx-a100", 8);
  const Case spread = cut(standard("all-gather", 8, 1'000'000'000), a100, 1e8);
  const Lowered& forward = spread.candidate.lowered;
  const Lowered back = backward(forward);
  ASSERT_EQ(back.transfers.size(), forward.transfers.size());
  for (size_t t = 0; t < forward.transfers.size(); ++t) {
    const auto site = [](const Lowered& l, int32_t item) {
      return l.items[static_cast<size_t>(item)].site;
    };
    EXPECT_EQ(site(back, back.transfers[t].from), site(forward, forward.transfers[t].to));
    EXPECT_EQ(site(back, back.transfers[t].to), site(forward, forward.transfers[t].from));
    EXPECT_EQ(back.items[static_cast<size_t>(back.transfers[t].from)].bytes,
              forward.items[static_cast<size_t>(forward.transfers[t].from)].bytes);
  }
  // What spreads in 23.3 ms gathers in as much, but for the traffic of memories.
  SimulatorLoop loop(a100, Latencies::none);
  EXPECT_NEAR(loop.run(back), loop.run(forward), 3);
}

TEST(Order, IsAPermutationThatTakesItsTimeWithinTheBudget) {
  const Topology v100 = machine("dgx-v100", 8);
  const Case c = cut(standard("all-reduce", 8, 1'000'000'000), v100, 2e7);
  SimulatorLoop loop(v100, Latencies::none);
  for (int64_t budget : {0, 1, 2, 3, 10, 100}) {
    OrderSearch search(v100, loop, budget, 10'000, 1, never);
    for (const Order& order : {search.quick(c.candidate, 0), search.thorough(c.candidate, 0),
                               search.random(c.candidate, 0, 3)}) {
      ASSERT_GE(search.left(), 0);
      if (order.transfers.empty()) continue;
      std::vector<int32_t> sorted = order.transfers;
      std::ranges::sort(sorted);
      for (size_t t = 0; t < sorted.size(); ++t) ASSERT_EQ(sorted[t], static_cast<int32_t>(t));
      ASSERT_EQ(loop.run(c.candidate.lowered, order.transfers), order.ms);
    }
  }
}

TEST(Order, MattersAndIsFound) {
  const Topology v100 = machine("dgx-v100", 8);
  const Case c = cut(standard("all-gather", 8, 1'000'000'000), v100, 1e9 / 32);
  SimulatorLoop loop(v100, Latencies::none);
  const double plain = loop.run(c.candidate.lowered);
  OrderSearch search(v100, loop, 200, 10'000, 1, never);
  const Order quick = search.quick(c.candidate, 0);
  EXPECT_EQ(search.left(), 197);
  const Order thorough = search.thorough(c.candidate, 0);
  EXPECT_LE(thorough.ms, quick.ms);
  EXPECT_LT(thorough.ms, 1.03 * c.packing.ms);
  EXPECT_LT(thorough.ms, plain);
}

}  // namespace
}  // namespace einsummable::synthesis
