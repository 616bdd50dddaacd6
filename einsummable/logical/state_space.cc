// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/state_space.h"

#include <numeric>

#include "einsummable/logical/plan_problem.h"

namespace einsummable {

StateSpace::StateSpace(const Candidates& candidates, OpId open, Dominance dominance)
    : candidates_(candidates), open_(open), dominance_(dominance) {
  const size_t ops = candidates.graph().ops().size();
  in_edges_.resize(ops);
  out_edges_.resize(ops);
  for (size_t e = 0; e < candidates.edges().size(); ++e) {
    in_edges_[candidates.edges()[e].consumer.index()].push_back(e);
    out_edges_[candidates.edges()[e].producer.index()].push_back(e);
  }
  std::map<const CandidateSet*, States> all;
  for (size_t i = 0; i < ops; ++i) {
    candidates.interruption().check();
    const CandidateSet& set = candidates.of(OpId(static_cast<int64_t>(i)));
    States& states = all[&set];
    if (!states.kept) {
      std::vector<uint32_t> kept(set.all.size());
      std::iota(kept.begin(), kept.end(), 0u);
      states = intern(&set, std::move(kept));
    }
    states_.push_back(states);
  }
  while (reduce()) {
  }
  make_tables();
}

size_t StateSpace::size() const {
  size_t size = 0;
  for (const States& states : states_) size += states.kept->size();
  return size;
}

StateSpace::States StateSpace::intern(const CandidateSet* set, std::vector<uint32_t> kept) {
  const auto id = static_cast<int32_t>(interned_.size());
  const auto [place, added] = interned_.try_emplace({set, std::move(kept)});
  if (added) {
    place->second = {id, std::make_shared<const std::vector<uint32_t>>(place->first.second)};
  }
  return place->second;
}

// All that `undominated` depends on.
std::vector<int64_t> StateSpace::surroundings(OpId op) const {
  std::vector<int64_t> key = {states_[op.index()].id};
  for (size_t e : in_edges_[op.index()]) {
    const Edge& edge = candidates_.edges()[e];
    key.insert(key.end(), {-1, edge.input, edge.output, candidates_.read_id(e),
                           states_[edge.producer.index()].id});
  }
  for (size_t e : out_edges_[op.index()]) {
    const Edge& edge = candidates_.edges()[e];
    key.insert(key.end(), {-2, edge.input, edge.output, candidates_.read_id(e),
                           states_[edge.consumer.index()].id});
  }
  return key;
}

// Drops what is superfluous in view of what the others have now; whether anything was. All
// operators at once: each drop holds whatever of their present states the others end in.
bool StateSpace::reduce() {
  std::map<std::vector<int64_t>, States> results;
  std::vector<States> next = states_;
  bool changed = false;
  for (size_t i = 0; i < states_.size(); ++i) {
    candidates_.interruption().check();
    const OpId op(static_cast<int64_t>(i));
    if (op == open_ || states_[i].kept->size() == 1) continue;
    States& result = results[surroundings(op)];
    if (!result.kept) result = intern(&candidates_.of(op), undominated(op));
    changed = changed || result.id != states_[i].id;
    next[i] = result;
  }
  states_ = std::move(next);
  return changed;
}

// The tiling on an edge, as the consumer sees it.
TilingId StateSpace::tiling_at(size_t e, End end, const Candidate& candidate) const {
  const Edge& edge = candidates_.edges()[e];
  if (end == End::consumer) return candidate.inputs[static_cast<size_t>(edge.input)];
  return candidates_.seen(e, candidate.outputs[static_cast<size_t>(edge.output)]);
}

// The tilings that one end of the edge has states for, sorted.
std::vector<TilingId> StateSpace::offered(size_t e, End by) const {
  const Edge& edge = candidates_.edges()[e];
  const OpId op = by == End::producer ? edge.producer : edge.consumer;
  std::vector<TilingId> out;
  for (uint32_t pick : kept(op)) {
    out.push_back(tiling_at(e, by, candidates_.candidate(op, pick)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// What a candidate needs: the elements of its largest blocks, and which outputs are partial.
const std::vector<int64_t>& StateSpace::memory_of(OpId op, uint32_t pick) {
  const CandidateSet& set = candidates_.of(op);
  std::vector<std::vector<int64_t>>& all = memory_[&set];
  if (all.empty()) {
    for (const Candidate& candidate : set.all) {
      const JoinAggSpec& spec = *candidate.spec;
      std::vector<int64_t>& needs = all.emplace_back();
      for (size_t k = 0; k < candidate.inputs.size(); ++k) {
        needs.push_back(largest_input_block(spec, k));
      }
      for (size_t o = 0; o < candidate.outputs.size(); ++o) {
        needs.push_back(largest_output_block(spec, o));
        needs.push_back(spec.partials(o) > 1 ? 1 : 0);
      }
    }
  }
  return all[pick];
}

std::vector<uint32_t> StateSpace::undominated(OpId op) {
  if (dominance_ == Dominance::cost_and_memory && kept(op).size() <= kFew) return kept(op);
  struct Row {
    uint32_t pick;
    Cost cost;
    std::vector<TilingId> tilings;  // an edge each; kUnmatched where the other end has no such
  };
  std::vector<Row> rows;
  for (uint32_t pick : kept(op)) {
    rows.push_back({pick, candidates_.candidate(op, pick).cost.total, {}});
  }
  const auto needs_no_more = [&](const Row& a, const Row& b) {
    if (dominance_ == Dominance::cost) return true;
    for (size_t e = 0; e < a.tilings.size(); ++e) {
      if (b.tilings[e].valid() && a.tilings[e] != b.tilings[e]) return false;
    }
    return std::ranges::equal(memory_of(op, a.pick), memory_of(op, b.pick), std::less_equal{});
  };
  std::vector<Cost> price;
  const auto add_edge = [&](size_t e, End own_end) {
    const End other = own_end == End::producer ? End::consumer : End::producer;
    const std::vector<TilingId> others = offered(e, other);
    for (Row& row : rows) {
      const TilingId own = tiling_at(e, own_end, candidates_.candidate(op, row.pick));
      row.tilings.push_back(std::ranges::binary_search(others, own) ? own : kUnmatched);
    }
    price.push_back(candidates_.mismatch(e));
  };
  for (size_t e : in_edges_[op.index()]) add_edge(e, End::consumer);
  for (size_t e : out_edges_[op.index()]) add_edge(e, End::producer);
  std::ranges::stable_sort(rows, {}, &Row::cost);
  std::vector<const Row*> kept;
  const auto superfluous = [&](const Row& b) {
    return std::ranges::any_of(kept, [&](const Row* a) {
      Cost cost = a->cost;
      for (size_t e = 0; e < price.size() && cost <= b.cost; ++e) {
        if (b.tilings[e].valid() && a->tilings[e] != b.tilings[e]) cost += price[e];
      }
      return cost <= b.cost && needs_no_more(*a, b);
    });
  };
  for (const Row& row : rows) {
    if (!superfluous(row)) kept.push_back(&row);
  }
  std::vector<uint32_t> out;
  for (const Row* row : kept) out.push_back(row->pick);
  std::sort(out.begin(), out.end());
  return out;
}

void StateSpace::make_tables() {
  for (size_t i = 0; i < states_.size(); ++i) {
    candidates_.interruption().check();
    const OpId op(static_cast<int64_t>(i));
    std::vector<Cost> costs;
    for (uint32_t pick : kept(op)) costs.push_back(candidates_.candidate(op, pick).cost.total);
    unary_.push_back(std::move(costs));
  }
  std::map<std::vector<int64_t>, std::shared_ptr<const std::vector<Cost>>> tables;
  for (size_t e = 0; e < candidates_.edges().size(); ++e) {
    candidates_.interruption().check();
    const Edge& edge = candidates_.edges()[e];
    auto& table = tables[{states_[edge.producer.index()].id, states_[edge.consumer.index()].id,
                          edge.output, edge.input, candidates_.read_id(e)}];
    if (!table) {
      std::vector<Cost> costs;
      for (uint32_t from : kept(edge.producer)) {
        for (uint32_t to : kept(edge.consumer)) {
          costs.push_back(candidates_.edge_cost(e, candidates_.candidate(edge.producer, from),
                                                candidates_.candidate(edge.consumer, to)));
        }
      }
      table = std::make_shared<const std::vector<Cost>>(std::move(costs));
    }
    pairs_.push_back({static_cast<uint32_t>(edge.producer.value),
                      static_cast<uint32_t>(edge.consumer.value), table});
  }
}

}  // namespace einsummable
