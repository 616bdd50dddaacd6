// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

struct TestLink {
  int32_t a = 0, b = 0;
  double gbps = 0;  // each way
};

// A machine with a link each way between linked sites, and one bus for all other pairs (0: none).
Topology linked_machine(int32_t sites, std::span<const TestLink> links, double bus_gbps,
                        double hbm_gbps);

// Nodes of as many sites each, with a switch in each (egress and ingress a site) and a network card
// a site between them.
Topology switched_machine(int32_t nodes, int32_t sites_per_node, double switch_gbps,
                          double nic_gbps, double hbm_gbps);

// The machine with site s on the device of site device_of[s].
Topology on_devices(const Topology& machine, std::span<const int32_t> device_of);

// A machine of 2 to 7 sites: of links, some pairs on a bus or without a way; of switches and
// network cards; of longer routes; with latencies; some sites on shared devices; or one whose sites
// share a memory.
Topology random_machine(std::mt19937_64& random);

}  // namespace einsummable::exchange
