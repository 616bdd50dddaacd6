// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/exchange/simulator.h"
#include "einsummable/synthesis/proposer.h"
#include "einsummable/topology/topology.h"

namespace einsummable::synthesis {

// The critical path of a simulation in words, a line a step, and the busiest resources:
//
//     A @ 0 -> 1 from 0 to 4.444 ms
//     A+B aggregated at 1 from 4.444 to 5.341 ms
//     link 0->1 is busy 83 % of the time
std::string critical_path_text(const exchange::Simulation& simulation);

// Appraises programs by simulating them on the topology, which must outlive this. Those whose
// replicas would not be equal bit for bit, as they are made of different parts, do not run.
Appraise appraise_on(const Topology& topology, exchange::SimulateOptions options = {});

}  // namespace einsummable::synthesis
