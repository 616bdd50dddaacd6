// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/synthesis/commodities.h"
#include "einsummable/synthesis/network.h"
#include "einsummable/synthesis/trees.h"

namespace einsummable::synthesis {

// A way for the bytes of a commodity: gathered at the root and merged there, then spread from it.
// What is formed already spreads from its holders, which are the root then.
struct Tree {
  Branches gather;
  int32_t root = -1;  // -1: the holders
  Branches spread;

  // Transfers on the longest way from a terminal to a target.
  int32_t depth() const;
  // Equal trees are told by this once their hops are sorted.
  bool operator==(const Tree& other) const {
    return root == other.root && gather.hops == other.gather.hops &&
           gather.enters == other.gather.enters && spread.hops == other.spread.hops;
  }
};

struct Share {
  Tree tree;
  double part = 0;  // of the commodity's bytes
};

// How many of its bytes each commodity sends along which tree; the parts of a commodity add up
// to 1.
struct Packing {
  double ms = 0;     // the load of the busiest row
  double bound = 0;  // no packing of trees takes less
  std::vector<std::vector<Share>> commodities;
};

struct PackingOptions {
  double tolerance = 5e-4;  // stops when the load is this close to the bound
  int32_t rounds = 400;
  // Steps that finding trees and solving programs may take in all, about a second for 1e9. With 8
  // sites it takes a tenth of that. Where not even one tree for each commodity is to be had for it,
  // there is no packing.
  double work = 1e9;
  // Stops as soon as no packing can be below this load.
  double cutoff = no_way;
  // How much the load may grow for shallow trees, ascending: a packing each. Without any, or where
  // it stops at the cutoff, one packing tells the load and has no trees.
  std::vector<double> slacks = {1e-3};
  Interruption interruption = {};
};

// Packs trees so that the busiest resource is busy for the least time, by column generation: a
// linear program over the trees found so far, whose prices ask for the cheapest tree of each
// commodity. At that load and some slack, shallow trees are preferred: the least sum of bytes times
// depth squared. Empty if some commodity has no way.
std::vector<Packing> pack(const Network& network, std::span<const Commodity> commodities,
                          const PackingOptions& options = {});

// The milliseconds that a byte of the commodity's parts keeps each row busy on its way along a
// tree, by row.
std::vector<std::pair<int32_t, double>> use_of(const Network& network, const Commodity& commodity,
                                               const Tree& tree);

}  // namespace einsummable::synthesis
