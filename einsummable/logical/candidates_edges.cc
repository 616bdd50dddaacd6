// SPDX-License-Identifier: Apache-2.0
// The edges between candidates, and what all candidates and edges cost together.

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/logical/candidates.h"

namespace einsummable {

void Candidates::check_costs() const {
  // Costs are summed, subtracted and compared by optimisers: all of them together leave room.
  constexpr double most = 0x1p59;
  const auto size = [](const Cost& cost) {
    return static_cast<double>(std::max({cost.main, cost.aggregations, cost.replicated}));
  };
  std::map<const CandidateSet*, double> of_set;
  double total = 0;
  const auto add = [&](OpId op, double more) {
    total += more;
    if (total < most) return;
    refuse_costs(graph_.op(op), Error("the costs up to here do not fit in 64 bits"));
  };
  for (size_t i = 0; i < sets_.size(); ++i) {
    const auto [place, added] = of_set.try_emplace(sets_[i].get(), 0);
    if (added) {
      for (const Candidate& candidate : sets_[i]->all) {
        place->second = std::max(place->second, size(candidate.cost.total));
      }
    }
    add(OpId(static_cast<int64_t>(i)), place->second);
  }
  for (size_t e = 0; e < edges_.size(); ++e) add(edges_[e].consumer, size(mismatch_[e]));
}

void Candidates::find_edges(const CostModel& model) {
  std::map<std::pair<Shape, Box>, int32_t> reads;
  for (size_t i = 0; i < graph_.ops().size(); ++i) {
    interruption_.check();
    const GraphOp& op = graph_.ops()[i];
    const Signature& signature = *sets_[i]->signature;
    std::vector<Interval> all;
    for (const Index& index : signature.indices) all.push_back({0, index.extent});
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const GraphTensor& tensor = graph_.tensor(op.inputs[k]);
      if (tensor.is_given()) continue;
      edges_.push_back({tensor.producer, tensor.output, OpId(static_cast<int64_t>(i)),
                        static_cast<int32_t>(k), signature.inputs[k](all)});
      const Box& read = edges_.back().read;
      reads_all_.push_back(read == tensor.type.bounds);
      mismatch_.push_back(model.mismatch(edges_.back()));
      const auto id = static_cast<int32_t>(reads.size());
      read_ids_.push_back(reads.try_emplace({tensor.type.shape(), read}, id).first->second);
    }
  }
}

TilingId Candidates::seen(size_t edge, TilingId produced) const {
  if (reads_all_[edge] || !produced.valid()) return produced;
  const auto [place, added] = seen_.try_emplace({read_ids_[edge], produced});
  if (added) place->second = tilings_.intern(restrict_to(tilings_[produced], edges_[edge].read));
  return place->second;
}

Cost Candidates::edge_cost(size_t edge, const Candidate& from, const Candidate& to) const {
  const Edge& e = edges_[edge];
  const TilingId produced = seen(edge, from.outputs[static_cast<size_t>(e.output)]);
  return matches(produced, to.inputs[static_cast<size_t>(e.input)]) ? Cost{} : mismatch_[edge];
}

}  // namespace einsummable
