// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_machine.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/topology/load.h"

namespace einsummable::exchange {
namespace {

int64_t sites(const std::string& text, std::string_view machine) {
  return topology_for(parse(text).program, load_machine(machine)).sites();
}

TEST(SimulatorMachine, HasAsManySitesAsTheProgramNeeds) {
  EXPECT_EQ(sites("IN: A @ 0\nOUT: A @ 2", "dgx-v100"), 3);
  EXPECT_EQ(sites("IN: A @ 40\nOUT: A @ 2", "cpu"), 41);
}

TEST(SimulatorMachine, RefusesMoreThanThereAre) {
  EXPECT_THROW(sites("IN: A @ 8\nOUT: A @ 2", "dgx-v100"), TopologyError);
  try {
    sites("IN: A @ 4096\nOUT: A @ 2", "cpu");
    FAIL();
  } catch (const TopologyError& error) {
    EXPECT_STREQ(error.what(), "the program has site 4096; machines are simulated up to site 4095");
  }
}

}  // namespace
}  // namespace einsummable::exchange
