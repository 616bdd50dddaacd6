// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/topology/machine.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// What the sites of a plan find on a machine: site s is on device devices[s], and sites on one
// device share its memory and its way out and in, and hand over to each other at once.
//
// The way between two devices is the [[route]] given for them; else their link; else their switch;
// between nodes else their NICs; else the bus of the pair; else there is none. A latency counts
// where the bytes enter a thing: those of ingress and "nic in" add none.
//
// Throws TopologyError for a device that the machine does not have, or a machine that verify()
// refuses.
Topology resolve(const Machine& machine, std::span<const int64_t> devices);

// Devices of a machine, one a site of a plan.
struct MachineSites {
  Machine machine;
  std::vector<int64_t> devices;
};

// Throws TopologyError if a plan is for more sites than the topology has.
void require_sites(const Topology& topology, int64_t sites);

// For `count` sites on the first `count` devices.
Topology resolve_first(const Machine& machine, int64_t count);

}  // namespace einsummable
