// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/lowered.h"
#include "einsummable/exchange/program.h"
#include "einsummable/synthesis/network.h"
#include "einsummable/synthesis/packing.h"
#include "einsummable/synthesis/pieces.h"

namespace einsummable::synthesis {

// Every piece on its tree: what the simulator runs, and what each transfer is.
struct Candidate {
  struct Step {
    int32_t route = 0;  // in routes
    int32_t hop = 0;
    int32_t piece = 0;   // its number among those of its demand
    int32_t before = 0;  // transfers before it on its longest way
    int32_t after = 0;   // and after it
    double turn = 0;     // Piece::turn
    int32_t place = 0;   // Piece::place
  };
  // A demand on one of its trees, with what each hop moves: aggregates of whole atoms.
  struct Route {
    exchange::AggregateId aggregate;
    const Tree* tree = nullptr;
    std::vector<exchange::AggregateId> moved;  // of each hop, gathering first
    bool merged_at_end = false;                // formed at the root, and sent nowhere
    std::vector<int32_t> pieces;
  };

  exchange::Lowered lowered;
  std::vector<Step> steps;  // of each transfer
  std::vector<Route> routes;
};

// Puts every piece on its tree. Interns the aggregates that are moved in `program`; trees are those
// of the packing and must outlive the candidate.
Candidate candidate_of(exchange::Program& program, const Network& network,
                       std::span<const Commodity> commodities, const Packing& packing,
                       const Pieces& pieces);

// The program of a candidate, its transfers in this order: the preamble, its atoms split into the
// pieces, and a body.
exchange::Program program_of(const exchange::Program& preamble, const Network& network,
                             const Pieces& pieces, const Candidate& candidate,
                             std::span<const int32_t> order);

}  // namespace einsummable::synthesis
