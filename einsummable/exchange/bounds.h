// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "einsummable/exchange/bounds_cuts.h"
#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

struct BoundOptions {
  // All latencies are zero, as in simulations with `ideal`.
  bool ideal = false;
  // Of each partition; empty, or empty of a partition: the least over all its memberships.
  Members members = {};
};

// A time that no valid program for a preamble simulates below.
struct Bound {
  double ms = 0;
  // What proves it: "cut {0,1,2,3}: 2 GB leave over 150 GB/s", "HBM of {3}", "exact flow", "first
  // finisher of A+B: site 2".
  std::string proof = {};
  // Of each partition: as given, or those that allow the least; empty if not told apart.
  Members members = {};
};

// The largest bound known for a preamble (IN, OUT, the sites and partitions; what body and splits
// it has do not count) on a machine: by cuts, volumes, memories and latencies, and by linear
// programs up to 12 sites. About half a second with 8 sites and open partitions at the most.
// Infinite where the machine has no way for what must pass. Throws ExchangeError if the preamble is
// ill-formed or cannot be met, TopologyError if the machine lacks a site.
//
//     IN: A @ 0 OUT: A @ 1    on links of 25 GB/s is 40 ms, "exact flow" or the cut {0}
Bound lower_bound(const Program& preamble, const Topology& topology,
                  const BoundOptions& options = {});

// The bound by cuts, volumes, memories and latencies alone, in microseconds: `cuts` is made once of
// a machine (and its sites in use), and serves all preambles. They are not checked.
Bound quick_bound(const Program& preamble, const CutTable& cuts, const BoundOptions& options = {});

}  // namespace einsummable::exchange
