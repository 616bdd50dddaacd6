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

}  // namespace
}  // namespace einsummable::exchange
