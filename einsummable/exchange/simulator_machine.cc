// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_machine.h"

#include <algorithm>
#include <string>

#include "einsummable/base/error.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::exchange {
Topology topology_for(const Program& program, const Machine& machine) {
  const int64_t highest = program.sites().empty() ? 0 : program.sites().back().value;
  if (highest >= MachineLimits::sites) {
    throw TopologyError("the program has site " + std::to_string(highest) +
                        "; machines are simulated up to site " +
                        std::to_string(MachineLimits::sites - 1));
  }
  return resolve_first(machine, highest + 1);
}

}  // namespace einsummable::exchange
