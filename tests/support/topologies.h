// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "einsummable/topology/topology.h"

namespace einsummable {

// Sites behind one switch: `gbps` GB/s into and out of each; 1e12 FLOP/s in float32, 1000 GB/s of
// memory, latencies of 1 us.
Topology switched(int64_t sites, double gbps);
// The same with some pairs linked by rates of their own, and the other pairs on one bus.
Topology linked(int64_t sites, std::mt19937_64& random);

}  // namespace einsummable
