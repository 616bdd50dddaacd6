// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/tree_optimizer.h"

namespace einsummable {
namespace {

// The consumer that each operator hangs below; invalid for roots.
std::vector<OpId> parents(const Graph& graph) {
  const std::vector<std::vector<OpId>> readers = consumers(graph);
  std::vector<OpId> out;
  for (const GraphOp& op : graph.ops()) {
    OpId parent;
    bool hangs = true;
    for (TensorId tensor : op.outputs) {
      const std::vector<OpId>& of_tensor = readers[tensor.index()];
      if (of_tensor.empty()) continue;
      hangs = hangs && of_tensor.size() == 1 && (!parent.valid() || parent == of_tensor[0]);
      parent = of_tensor[0];
    }
    out.push_back(hangs ? parent : OpId());
  }
  return out;
}

// Optimises one path after the other.
class PathOptimizer {
 public:
  explicit PathOptimizer(const Candidates& candidates)
      : candidates_(candidates), fixed_(candidates.graph().ops().size(), false) {
    choice_.pick.resize(fixed_.size(), 0);
    edges_of_.resize(fixed_.size());
    for (size_t e = 0; e < candidates.edges().size(); ++e) {
      edges_of_[candidates.edges()[e].producer.index()].push_back(e);
      edges_of_[candidates.edges()[e].consumer.index()].push_back(e);
    }
  }

  void optimise(const std::vector<OpId>& path) {
    std::vector<std::vector<Cost>> best;        // B(J) of each operator on the path
    std::vector<std::vector<uint32_t>> choice;  // the candidate of the one before
    for (size_t i = 0; i < path.size(); ++i) {
      candidates_.interruption().check();
      const std::vector<Candidate>& all = candidates_.of(path[i]).all;
      best.emplace_back();
      choice.emplace_back();
      for (const Candidate& candidate : all) {
        Cost cost = candidate.cost.total + charges(path[i], candidate);
        uint32_t from = 0;
        if (i > 0) {
          const auto [below, pick] = cheapest(path[i - 1], best[i - 1], path[i], candidate);
          cost += below;
          from = pick;
        }
        best.back().push_back(cost);
        choice.back().push_back(from);
      }
    }
    auto pick = static_cast<uint32_t>(std::ranges::min_element(best.back()) - best.back().begin());
    for (size_t i = path.size(); i-- > 0;) {
      choice_.pick[path[i].index()] = pick;
      pick = choice[i][pick];
    }
    for (OpId op : path) fixed_[op.index()] = true;
  }

  Choice finish() {
    choice_.cost = cost_of(candidates_, choice_.pick);
    return choice_;
  }

 private:
  // What the candidate pays on edges to operators that are fixed already.
  Cost charges(OpId op, const Candidate& candidate) const {
    Cost cost;
    for (size_t e : edges_of_[op.index()]) {
      const Edge& edge = candidates_.edges()[e];
      const OpId other = edge.producer == op ? edge.consumer : edge.producer;
      if (!fixed_[other.index()]) continue;
      const Candidate& theirs = candidates_.candidate(other, choice_.pick[other.index()]);
      cost += edge.producer == op ? candidates_.edge_cost(e, candidate, theirs)
                                  : candidates_.edge_cost(e, theirs, candidate);
    }
    return cost;
  }

  // The least that the operator below costs if the one above it takes `candidate`, and how.
  std::pair<Cost, uint32_t> cheapest(OpId below, const std::vector<Cost>& best, OpId above,
                                     const Candidate& candidate) const {
    std::optional<Cost> least;
    uint32_t pick = 0;
    for (uint32_t s = 0; s < best.size(); ++s) {
      Cost cost = best[s];
      for (size_t e : edges_of_[above.index()]) {
        if (candidates_.edges()[e].producer != below) continue;
        cost += candidates_.edge_cost(e, candidates_.candidate(below, s), candidate);
      }
      if (least && !(cost < *least)) continue;
      least = cost;
      pick = s;
    }
    return {*least, pick};
  }

  const Candidates& candidates_;
  std::vector<bool> fixed_;
  std::vector<std::vector<size_t>> edges_of_;
  Choice choice_;
};

}  // namespace

std::vector<std::vector<OpId>> paper_paths(const Graph& graph) {
  const std::vector<OpId> parent = parents(graph);
  const size_t ops = graph.ops().size();
  std::vector<size_t> length(ops, 1);  // of the longest path down
  std::vector<OpId> below(ops);
  for (size_t i = 0; i < ops; ++i) {
    for (TensorId tensor : graph.ops()[i].inputs) {
      const OpId producer = graph.tensor(tensor).producer;
      if (!producer.valid() || parent[producer.index()] != OpId(static_cast<int64_t>(i))) continue;
      if (length[producer.index()] + 1 <= length[i]) continue;
      length[i] = length[producer.index()] + 1;
      below[i] = producer;
    }
  }
  std::vector<std::vector<OpId>> paths;
  for (size_t i = 0; i < ops; ++i) {
    const OpId op(static_cast<int64_t>(i));
    if (parent[i].valid() && below[parent[i].index()] == op) continue;
    std::vector<OpId> path;
    for (OpId at = op; at.valid(); at = below[at.index()]) path.push_back(at);
    std::ranges::reverse(path);
    paths.push_back(std::move(path));
  }
  std::ranges::stable_sort(paths, std::ranges::greater{}, &std::vector<OpId>::size);
  return paths;
}

Choice choose_paper(const Candidates& candidates) {
  PathOptimizer optimizer(candidates);
  for (const std::vector<OpId>& path : paper_paths(candidates.graph())) {
    candidates.interruption().check();
    optimizer.optimise(path);
  }
  return optimizer.finish();
}

}  // namespace einsummable
