// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "tests/exchange/program_files.h"

namespace einsummable::exchange {
namespace {

Program program(const std::string& text) {
  ParseVerdict verdict = parse(text);
  EXPECT_TRUE(verdict.ok) << verdict.line << ": " << verdict.reason;
  return std::move(verdict.program);
}

double ms(const std::string& text, const Topology& topology) {
  return simulate(program(text), topology, {.ideal = true}).ms;
}

Topology machine(std::string_view name) {
  const Machine found = load_machine(name);
  return resolve_first(found, 8);
}

TEST(Simulator, GivesTheTimesOfThePaper) {
  const auto files = program_files();
  const Topology h100 = machine("dgx-h100");
  EXPECT_NEAR(ms(files.at("example-5.1.exprog"), h100), 3.118, 5e-4);
  EXPECT_NEAR(ms(files.at("example-5.1.exprog"), h100), 1e3 / 450 + 3e3 / 3350, 1e-9);
  EXPECT_NEAR(ms(files.at("example-5.2.exprog"), h100), 2e3 / 450 + 6e3 / 3350, 1e-9);
  for (const char* name : {"dgx-v100", "dgx-v100-paper"}) {
    EXPECT_NEAR(ms(files.at("example-5.3.exprog"), machine(name)), 60 + 6e3 / 900, 1e-9);
  }
}

TEST(Simulator, LetsOneTransferRunBetweenAPairOfSites) {
  const std::string in = "IN: A @ 0; B @ 0\nOUT: A @ 1\n";
  EXPECT_NEAR(ms(in + "A @ 0 -> 1; B @ 0 -> 1", machine("dgx-h100")), 2e3 / 450, 1e-9);
}

TEST(Simulator, SharesTheWayOutAmongTheDestinationsOfAMulticast) {
  EXPECT_NEAR(ms("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1, 2, 3", machine("dgx-h100")), 3e3 / 450, 1e-9);
}

TEST(Simulator, SkipsWhatIsThereAndRunsWhatIsWrittenTwiceOnce) {
  const Simulation s = simulate(program("IN: A @ 0, 1; B @ 0\nOUT: A @ 2\n"
                                        "A @ 0 -> 1; A @ 0 -> 2; B @ 0 -> 2; A @ 0 -> 2, 3\n"
                                        "A @ 3 -> 2"),
                                machine("dgx-v100"), {.ideal = true});
  // 0 -> 2 has 25 GB/s: A, then B. 0 -> 3 has 50, so that A is at 3 after 20 ms and 3 -> 2 takes 20
  // more: both bring A to 2 at 40 ms, and both run.
  EXPECT_EQ(s.skipped, 1);
  EXPECT_EQ(s.timeline.size(), 4u);
  EXPECT_NEAR(s.ms, 80, 1e-9);
}

TEST(Simulator, CountsTheSizeOfAResultAndTheBytesOfAForm) {
  const Simulation s = simulate(program("IN: A @ 0 (size: 1 GB); B @ 0 (size: 1 GB)\n"
                                        "OUT: A+B @ 1 (size: 0.5 GB)\nA+B @ 0 -> 1"),
                                machine("dgx-h100"), {.ideal = true});
  ASSERT_EQ(s.timeline.size(), 2u);
  EXPECT_EQ(s.timeline[0].bytes, 2'500'000'000);
  EXPECT_EQ(s.timeline[1].bytes, 500'000'000);
  EXPECT_EQ(s.timeline[1].cause, 0);
  EXPECT_EQ(s.critical_path, (std::vector<int32_t>{0, 1}));
  EXPECT_NEAR(s.ms, 2.5e3 / 3350 + 0.5e3 / 450, 1e-9);
}

TEST(Simulator, AddsLatenciesUnlessIdeal) {
  Topology t = machine("dgx-h100");
  for (Route& route : t.routes) route.latency_us = 5;
  for (Device& device : t.devices) device.kernel_latency_us = 3;
  const Program swap = program(program_files().at("example-5.1.exprog"));
  const double ideal = simulate(swap, t, {.ideal = true}).ms;
  EXPECT_NEAR(simulate(swap, t).ms, ideal + 0.008, 1e-9);
}

TEST(Simulator, RunsAtMostAsManyKernelsAsThereAreWorkers) {
  Topology t = machine("dgx-h100");
  const Program two = program("IN: A @ 0, 1; B @ 0, 1\nOUT: A+B @ 0, 1\nA+B @ 0, 1");
  EXPECT_NEAR(simulate(two, t, {.ideal = true}).ms, 3e3 / 3350, 1e-9);
  t.workers = 1;
  const Simulation one = simulate(two, t, {.ideal = true});
  EXPECT_NEAR(one.ms, 6e3 / 3350, 1e-9);
  EXPECT_EQ(one.critical_path, (std::vector<int32_t>{0, 1}));
}

template <class E>
std::string mistake(const std::string& text, const Topology& topology) {
  try {
    simulate(program(text), topology);
  } catch (const E& error) {
    return error.what();
  }
  return "none";
}

TEST(Simulator, SaysWhyAProgramCannotRun) {
  const Topology v100 = machine("dgx-v100");
  EXPECT_EQ(mistake<ExchangeError>("IN: A @ 0\nOUT: A @ 1\nA @ 1 -> 2", v100),
            "A @ 1 can never fire: A is missing at 1");
  EXPECT_EQ(mistake<TopologyError>("IN: A @ 9\nOUT: A @ 9", v100),
            "the program uses site 9; dgx-v100 has sites 0 to 7");
  EXPECT_EQ(mistake<ExchangeError>("IN: A @ 0 (size: 4000000000 GB); B @ 0 (size: 4000000000 GB)\n"
                                   "OUT: A+B @ 0\nA+B @ 0",
                                   v100),
            "the bytes of A+B and its parts do not fit in 64 bits");
  Topology cut = v100;
  cut.route_of[1] = -1;
  EXPECT_EQ(mistake<TopologyError>("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1", cut),
            "there is no way from site 0 to site 1 on dgx-v100");
}

// Where the parts overlap, covers are searched for in simulated time; the search is bounded.
TEST(Simulator, GivesUpOnCoversThatAreTooHard) {
  try {
    simulate(program("IN: A+B @ 0; B+C @ 0; C+D @ 0; A+D @ 0; A+C @ 0\nOUT: A+B+C+D @ 0\n"
                     "A+B+C+D @ 0"),
             machine("dgx-v100"), {.budget = {.nodes = 1}});
    FAIL();
  } catch (const ExchangeError& error) {
    EXPECT_STREQ(error.what(),
                 "too hard: the ways to put its aggregates together are too many to search");
  }
}

}  // namespace
}  // namespace einsummable::exchange
