// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// What a simulation says, as the plain simulator below says it.
struct PlainStep {
  std::string text;  // "A+B @ 0 = A B" for an aggregate that is formed, "A @ 0 -> 1" for a transfer
  double start_ms = 0;
  double end_ms = 0;
};
struct PlainSimulation {
  double ms = 0;
  std::vector<PlainStep> steps;  // by text and start
  int64_t skipped = 0;
};

// A second simulator for programs without splits and open partitions, as simple as can be: at every
// event it looks at all that could start, finds all rates anew by raising them together, and covers
// by trying everything. At most 64 atoms.
PlainSimulation simulate_plainly(const Program& program, const Topology& topology, bool ideal);

}  // namespace einsummable::exchange
