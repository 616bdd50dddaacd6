// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/plan_problem.h"

#include "einsummable/logical/state_space.h"

namespace einsummable {
namespace {

int64_t largest_block(const Tiling& tiling) {
  int64_t elements = 1;
  for (const std::vector<Interval>& axis : tiling.axes) {
    int64_t longest = 0;
    for (Interval interval : axis) longest = std::max(longest, interval.length());
    elements *= longest;
  }
  return elements;
}

}  // namespace

int64_t largest_input_block(const JoinAggSpec& spec, size_t input) {
  return largest_block(spec.input(input));
}

int64_t largest_output_block(const JoinAggSpec& spec, size_t output) {
  return largest_block(spec.output(output));
}

PlanProblem proxy_problem(const Candidates& candidates) {
  const StateSpace space(candidates, {}, StateSpace::Dominance::cost_and_memory);
  PlanProblem out{space.unary(), space.pairs(), {}, {}};
  for (size_t i = 0; i < candidates.graph().ops().size(); ++i) {
    out.picks.push_back(space.shared_kept(OpId(static_cast<int64_t>(i))));
  }
  std::map<std::pair<const std::vector<uint32_t>*, int32_t>, PlanProblem::Copy> known;
  for (const Edge& edge : candidates.edges()) {
    candidates.interruption().check();
    const PlanProblem::Picks& picks = out.picks[edge.consumer.index()];
    auto& elements = known[{picks.get(), edge.input}].elements;
    if (!elements) {
      std::vector<int64_t> counts;
      for (uint32_t pick : *picks) {
        counts.push_back(largest_input_block(*candidates.candidate(edge.consumer, pick).spec,
                                             static_cast<size_t>(edge.input)));
      }
      elements = std::make_shared<const std::vector<int64_t>>(std::move(counts));
    }
    const GraphOp& producer = candidates.graph().op(edge.producer);
    out.copies.push_back({producer.outputs[static_cast<size_t>(edge.output)], elements});
  }
  return out;
}

Cost cost_of(const PlanProblem& problem, std::span<const uint32_t> states) {
  Cost cost;
  for (size_t i = 0; i < problem.ops(); ++i) cost += problem.unary[i][states[i]];
  std::map<uint32_t, std::vector<Cost>> others;  // the costs of each state of a variable
  for (const PairTable& pair : problem.pairs) {
    const size_t columns = problem.unary[pair.b].size();
    if (pair.a < problem.ops() && pair.b < problem.ops()) {
      cost += (*pair.cost)[states[pair.a] * columns + states[pair.b]];
      continue;
    }
    const uint32_t other = std::max(pair.a, pair.b);
    std::vector<Cost>& row = others.try_emplace(other, problem.unary[other]).first->second;
    for (size_t s = 0; s < row.size(); ++s) {
      row[s] += (*pair.cost)[other == pair.b ? states[pair.a] * columns + s
                                             : s * columns + states[pair.b]];
    }
  }
  for (const auto& [variable, row] : others) cost += *std::ranges::min_element(row);
  return cost;
}

}  // namespace einsummable
