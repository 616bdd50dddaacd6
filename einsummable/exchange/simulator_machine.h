// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/exchange/program.h"
#include "einsummable/topology/machine.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// A machine as a program sees it: site s is device s, up to the highest site the program has.
// Throws TopologyError if the machine does not have as many.
Topology topology_for(const Program& program, const Machine& machine);

}  // namespace einsummable::exchange
