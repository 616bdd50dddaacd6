// SPDX-License-Identifier: Apache-2.0
// No program simulates below a bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "einsummable/base/error.h"
#include "einsummable/exchange/bounds.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/simulator.h"
#include "einsummable/synthesis/naive.h"
#include "tests/exchange/bounds_machines.h"
#include "tests/support/rounds.h"
#include "tests/synthesis/random_preamble.h"

namespace einsummable::exchange {
namespace {

class BoundsProperty : public testing::Test {
 protected:
  void check_programs(uint64_t seed) {
    std::mt19937_64 random(seed);
    const Topology topology = random_machine(random);
    const RandomPreamble preamble = random_preamble(topology.sites(), random);
    Bound least[2];
    try {
      for (bool ideal : {false, true}) {
        least[ideal] = lower_bound(preamble.program, topology, {.ideal = ideal});
        for (const Members& members : {Members{}, preamble.members}) {
          const BoundOptions options{.ideal = ideal, .members = members};
          const Bound full = lower_bound(preamble.program, topology, options);
          const Bound quick = quick_bound(preamble.program, CutTable(topology), options);
          ASSERT_LE(quick.ms, full.ms * (1 + 1e-6)) << quick.proof << "; " << full.proof;
          ASSERT_LE(least[ideal].ms, full.ms * (1 + 2e-6)) << "the least of all memberships";
          if (!members.empty()) least[ideal] = full;
        }
      }
    } catch (const ExchangeError&) {
      ++unmeetable_;
      return;
    }
    for (int i = 0; i < 3; ++i) {
      if (const auto program = random_body(preamble, topology, random)) {
        compare(*program, topology, preamble.members, least);
      }
    }
    const synthesis::Body naive = synthesis::naive(preamble.program, preamble.members);
    if (!naive.ok) return;
    Program program = preamble.program;
    program.set_body(naive.actions);
    compare(program, topology, preamble.members, least);
  }

  void compare(const Program& program, const Topology& topology, const Members& members,
               const Bound (&least)[2]) {
    for (bool ideal : {false, true}) {
      Simulation simulation;
      try {
        simulation = simulate(program, topology, {.ideal = ideal, .members = members});
      } catch (const TopologyError&) {
        return;  // naive programs take ways that are not there
      }
      const double ms = simulation.ms;
      // The simulator ends things up to 1e-3 byte early.
      ASSERT_LE(least[ideal].ms, ms * (1 + 1e-5) + 1e-8)
          << least[ideal].proof << (ideal ? " (ideal)\n" : "\n") << print(program);
      ++simulated_;
      if (ideal && ms > 0 && ms < 1.001 * least[ideal].ms) ++reached_;
    }
  }

  int simulated_ = 0;   // programs
  int reached_ = 0;     // bounds that some program reaches
  int unmeetable_ = 0;  // preambles
};

TEST_F(BoundsProperty, NoProgramSimulatesBelowABound) {
  const int count = rounds(400, 20'000);
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    check_programs(static_cast<uint64_t>(seed));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(simulated_, 4 * count);
  EXPECT_GT(reached_, count / 5);
  EXPECT_LT(unmeetable_, count / 5);
  RecordProperty("simulated", simulated_);
  RecordProperty("reached", reached_);
}

}  // namespace
}  // namespace einsummable::exchange
