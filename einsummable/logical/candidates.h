// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "einsummable/graph/index_classes.h"
#include "einsummable/logical/cost_model.h"

namespace einsummable {

// Counts that an operator must be cut into, by name of operator and of index. Indices that are not
// named are free.
//   {"up": {"i": 8}}
using Pins = std::map<std::string, std::map<std::string, int64_t>>;

// One way to cut an operator.
struct Candidate {
  std::shared_ptr<const JoinAggSpec> spec;
  std::vector<TilingId> inputs, outputs;
  OpCost cost;
};

// All the ways to cut operators of one kind: the same operator on the same types, its indices in
// classes of the same types.
struct CandidateSet {
  // The most cells first, then by signature, then by counts, then by cuts.
  std::vector<Candidate> all;
  std::shared_ptr<const Signature> signature;  // that of the most cells
  int64_t width = 1;                           // the most cells
  std::string reason;  // why not the usual signature, or not p cells; else empty
};

// Which cells operators may have.
enum class Offer : uint8_t {
  most,      // as many as can be, at most p: what the proxy needs, which prices no idle device
  divisors,  // those, every p' that divides p, and p by each of an operator's signatures
};

// The join-agg specs of every operator of a graph for p processors: all counts per index whose
// product is p, at all cuts that the index's class offers. Where an operator has none: those of its
// later signatures (query, key); else those of the largest p' < p it can be cut into. An operator
// that only moves elements takes any counts whose product divides a width in use.
class Candidates {
 public:
  // Throws PlanError for pins that name no operator or index or cannot be met.
  Candidates(const Graph& graph, int64_t p, const Pins& pins, const CostModel& model,
             Offer offer = Offer::most, const Interruption& interruption = {});

  const Graph& graph() const { return graph_; }
  int64_t p() const { return p_; }
  // Of the work of choosing among them, too.
  const Interruption& interruption() const { return interruption_; }
  const CandidateSet& of(OpId op) const { return *sets_[op.index()]; }
  const Candidate& candidate(OpId op, size_t pick) const { return of(op).all[pick]; }

  // Where one operator reads what another makes; in the order of consumers and their inputs.
  const std::vector<Edge>& edges() const { return edges_; }
  Cost mismatch(size_t edge) const { return mismatch_[edge]; }
  // Edges alike in what they read of a tensor share an id.
  int32_t read_id(size_t edge) const { return read_ids_[edge]; }

  // What the consumer sees of a tiling of the tensor.
  TilingId seen(size_t edge, TilingId produced) const;
  // What the edge costs between two candidates.
  Cost edge_cost(size_t edge, const Candidate& from, const Candidate& to) const;

 private:
  void find_edges(const CostModel& model);
  void check_costs() const;  // throws PlanError if their sum may not fit in 64 bits

  const Graph& graph_;
  int64_t p_;
  Interruption interruption_;
  std::vector<std::shared_ptr<const CandidateSet>> sets_;  // of each operator
  std::vector<Edge> edges_;
  std::vector<Cost> mismatch_;
  std::vector<int32_t> read_ids_;
  std::vector<bool> reads_all_;
  mutable TilingTable tilings_;
  mutable std::map<std::pair<int32_t, TilingId>, TilingId> seen_;  // by read id
};

// "i=8 j=1 k=1"
std::string counts_text(const JoinAggSpec& spec);

}  // namespace einsummable
