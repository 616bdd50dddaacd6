// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::synthesis {

struct GroupingOptions {
  int64_t packings = 120;  // how many choices are packed at most
  // A load below which no choice is looked for.
  double good_enough_ms = 0;
};

// Members for the open partitions of a preamble, so that a packing of trees has a low load: first
// each site where it has the most already (an assignment problem on bytes and the time of their
// ways), then swaps of two sites, scored by the load of the packing; choices that are the same but
// for names of sites count once. `members` are those that are fixed, empty for the others.
exchange::Members choose_members(const exchange::Program& preamble, const Topology& topology,
                                 exchange::Members members, const GroupingOptions& options = {});

}  // namespace einsummable::synthesis
