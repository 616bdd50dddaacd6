// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/graph/graph.h"
#include "einsummable/spec/join_agg_spec.h"

namespace einsummable {

using exchange::SiteId;

// A box of a complete tensor that a site needs, or has.
struct Resident {
  SiteId site;
  Box box;

  bool operator==(const Resident&) const = default;
};

// The smallest part of a tensor that one exchange moves, with all its partial results
// (Section 5.3): the cells of the overlay of produced and required blocks that lie in one block of
// the producer, are held complete by the same sites, and are needed by the same sites.
struct Region {
  TensorId tensor;
  int64_t block = 0;                    // which of the producer's output blocks
  std::vector<Box> boxes;               // disjoint, in row-major order of the overlay
  std::vector<exchange::AtomId> atoms;  // one a partial
  std::vector<SiteId> formed;           // where the complete region is from before
  std::vector<SiteId> required;         // where it must come to be
  exchange::AggregateId complete;       // all atoms together

  int64_t elements() const;
};

// How an aggregate comes to be at a site where it was not from before: merged there from parts, or
// received.
struct Derivation {
  exchange::AggregateId aggregate;
  SiteId site;
  SiteId source = {};                             // valid: received from there
  std::vector<exchange::AggregateId> parts = {};  // else merged, in this order
};

// What happens before an operator runs, or before a saved tensor is fetched: its inputs' regions
// and the exchange program that brings each to where it is needed. One program covers all inputs,
// because they share the placement; an atom never mixes tensors.
struct ExchangeStep {
  OpId op = {};       // either the operator
  int32_t save = -1;  // or the position in Graph::saves()
  std::vector<Region> regions;
  exchange::Program program;  // preamble, splits and body
  // In an order in which they can come about, that of the transfers between each pair of sites; one
  // an (aggregate, site). Aggregates are those of expand(program), so of pieces (`pieces.h`).
  std::vector<Derivation> derivations;
};

// What making the programs has to say of itself; not part of the plan.
struct SearchReport {
  bool cut_short = false;  // by the time limit, so that another run may give other programs
  std::string warning;     // the first reason why a proposer gave no reply; empty if there is none
};

// Where every cell runs and every byte travels. Lowering is a function of this alone and of what
// the executor can do.
struct PhysicalPlan {
  std::shared_ptr<const Graph> graph;          // pruned
  std::vector<JoinAggSpec> specs;              // an operator each
  int64_t sites = 1;                           // p
  std::optional<DType> partial_dtype;          // of float sums; none: as their operators state
  std::vector<std::vector<SiteId>> placement;  // an operator each: the site of every cell
  std::vector<std::vector<Resident>> fetches;  // a saved tensor each: what is fetched from where
  std::vector<ExchangeStep> steps;             // operators in order, then saves; those that need
                                               // nothing moved have a step without regions
  SearchReport search = {};

  // How partial results of an operator's output travel, and of a tensor that an operator makes.
  PartialType partial(OpId op, size_t output) const;
  PartialType partial(TensorId tensor) const;
};

}  // namespace einsummable
