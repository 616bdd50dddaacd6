// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_text.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/parser.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::exchange {
namespace {

Simulation simulated(const char* text, std::string_view machine) {
  const ParseVerdict verdict = parse(text);
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  return simulate(verdict.program, resolve_first(load_machine(machine), 8), {.ideal = true});
}

TEST(SimulatorText, SaysWhatHappensAndWhatBoundsIt) {
  const Simulation swap = simulated(
      "IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1", "dgx-h100");
  EXPECT_EQ(timeline_text(swap), R"(    0.0000     2.2222  A @ 0 -> 1
    0.0000     2.2222  B @ 1 -> 0
    2.2222     3.1177  A+B @ 0 of A, B
    2.2222     3.1177  A+B @ 1 of A, B
)");
  EXPECT_EQ(timeline_text(swap, 1), "    0.0000     2.2222  A @ 0 -> 1\nand 3 more\n");
  EXPECT_EQ(critical_path_text(swap), R"(3.1177 ms; egress 0 busy 71 %
    0.0000     2.2222  B @ 1 -> 0
    2.2222     3.1177  A+B @ 0 of A, B
)");
  EXPECT_EQ(load_text(swap), R"(   71 %  egress 0: 1 GB in 2.2222 ms
   71 %  ingress 1: 1 GB in 2.2222 ms
   71 %  egress 1: 1 GB in 2.2222 ms
   71 %  ingress 0: 1 GB in 2.2222 ms
   29 %  memory of 0: 3 GB in 0.8955 ms
   29 %  memory of 1: 3 GB in 0.8955 ms
)");
}

TEST(SimulatorText, PutsPiecesInOneLine) {
  const Simulation relay =
      simulated("IN: A @ 0\nOUT: A @ 2\nSPLIT: A into 5\nA @ 0 -> 3 -> 2", "dgx-v100");
  EXPECT_EQ(critical_path_text(relay), R"(24.000 ms; link 0->3 busy 83 %
    0.000    20.000  A.0 @ 0 -> 3 and 4 more
   20.000    24.000  A.4 @ 3 -> 2
)");
}

}  // namespace
}  // namespace einsummable::exchange
