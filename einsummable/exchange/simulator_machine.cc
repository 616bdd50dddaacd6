// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_machine.h"

#include <algorithm>
#include <string>

#include "einsummable/base/error.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::exchange {
namespace {

constexpr int64_t most_sites = 4'096;  // every pair of sites has a route

}  // namespace

Topology topology_for(const Program& program, const Machine& machine) {
  const int64_t highest = program.sites().empty() ? 0 : program.sites().back().value;
  if (highest >= most_sites) {
    throw TopologyError("the program has site " + std::to_string(highest) +
                        "; machines are simulated up to site " + std::to_string(most_sites - 1));
  }
  return resolve_first(machine, highest + 1);
}

}  // namespace einsummable::exchange
