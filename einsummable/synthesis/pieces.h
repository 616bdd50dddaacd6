// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/synthesis/packing.h"

namespace einsummable::synthesis {

// A piece of a demand's atoms and the tree it takes.
struct Piece {
  int32_t tree = 0;      // among the shares of the commodity
  int64_t bytes = 0;     // of each part
  int64_t complete = 0;  // of the complete aggregate
  double turn = 0;       // among the pieces of its tree: from 0, the first, to below 1
  int32_t place = 0;     // the same, counted
};

// Atoms that are cut alike.
struct Cut {
  std::vector<exchange::AtomId> atoms;
  std::vector<int64_t> sizes;
};

// How everything is cut: of each commodity and each of its demands the pieces, in order.
struct Pieces {
  std::vector<std::vector<std::vector<Piece>>> of;
  std::vector<Cut> cuts;  // of the atoms in two pieces or more
};

// Decides which demands are cut alike, as they have atoms in common, and cuts them: a tree with x
// bytes of a demand becomes max(1, round(x / q)) pieces of whole grains, near equal.
class Cutter {
 public:
  // All are kept by reference.
  Cutter(const exchange::Program& preamble, std::span<const Commodity> commodities,
         const Packing& packing);

  Pieces cut(double q) const;

 private:
  struct Group {
    std::vector<std::pair<size_t, size_t>> demands;  // commodity and demand
    std::vector<exchange::AtomId> atoms;
    int64_t bytes = 0;  // of each atom
    int64_t grain = 1;  // a multiple of the grains of all atoms; 0: they are not cut
  };

  void cut_alone(const Group& group, double q, Pieces& pieces) const;
  void cut_alike(const Group& group, double q, Pieces& pieces) const;
  // Adds the pieces of a demand.
  void add(size_t commodity, size_t demand, std::span<const int64_t> sizes,
           std::span<const int32_t> trees, Pieces& pieces) const;

  const exchange::Program& program_;
  std::span<const Commodity> commodities_;
  const Packing& packing_;
  std::vector<Group> groups_;
  // Of each demand: where its bytes begin among those of its commodity.
  std::vector<std::vector<double>> begins_;
};

}  // namespace einsummable::synthesis
