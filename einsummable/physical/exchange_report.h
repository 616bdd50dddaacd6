// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/physical/physical_plan.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// What the exchange of one step moves, and how near its program comes to the least possible time.
//   before "down": 117 MB in 0.41 ms, bound 0.4 ms by "cut {0}: ...", so a gap of 0.025
struct ExchangeReport {
  std::string op;      // the operator that it comes before, or the saved tensor
  bool save = false;   // whether it is a saved tensor
  int64_t bytes = 0;   // that are received, over all sites
  int64_t merges = 0;  // of partial results, or of pieces of them
  double ms = 0;       // what the program takes alone, simulated
  double bound_ms = 0;
  std::string proof = {};  // of the bound

  // How much longer than the bound it takes: ms / bound_ms - 1. None where only the bound is 0.
  std::optional<double> gap() const;
};

// The gap of a time over its bound, as above.
std::optional<double> gap(double ms, double bound_ms);

// The steps of the plan that move or merge anything, in order. Those that differ by the names of
// atoms alone are simulated once. Throws TopologyError where the topology has fewer sites than the
// plan, or, with the name of the exchange, no way between two that its program needs.
std::vector<ExchangeReport> report_exchanges(const PhysicalPlan& plan, const Topology& topology,
                                             const Interruption& interruption = {});

}  // namespace einsummable
