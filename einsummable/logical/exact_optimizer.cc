// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/exact_optimizer.h"

#include "einsummable/logical/state_space.h"

namespace einsummable {
namespace {

Choice choice_of(const StateSpace& space, const Assignment& best) {
  Choice out;
  for (size_t i = 0; i < best.state.size(); ++i) {
    out.pick.push_back(space.kept(OpId(static_cast<int64_t>(i)))[best.state[i]]);
  }
  out.cost = best.cost;
  out.bound = best.bound;
  out.width = best.width;
  out.largest_table = best.largest_table;
  return out;
}

}  // namespace

Cost cost_of(const Candidates& candidates, const std::vector<uint32_t>& pick) {
  Cost cost;
  for (size_t i = 0; i < pick.size(); ++i) {
    candidates.interruption().check();
    cost += candidates.candidate(OpId(static_cast<int64_t>(i)), pick[i]).cost.total;
  }
  for (size_t e = 0; e < candidates.edges().size(); ++e) {
    const Edge& edge = candidates.edges()[e];
    cost +=
        candidates.edge_cost(e, candidates.candidate(edge.producer, pick[edge.producer.index()]),
                             candidates.candidate(edge.consumer, pick[edge.consumer.index()]));
  }
  return cost;
}

Choice choose_optimal(const Candidates& candidates, int64_t table_budget) {
  const StateSpace space(candidates);
  return choice_of(space,
                   minimise(space.unary(), space.pairs(), table_budget, candidates.interruption()));
}

std::vector<Choice> choose_optimal_each(const Candidates& candidates, OpId op,
                                        int64_t table_budget) {
  const StateSpace space(candidates, op);
  std::vector<Choice> out;
  MinSum problem(space.unary(), space.pairs(), table_budget, candidates.interruption());
  for (const Assignment& best : problem.best_each(static_cast<uint32_t>(op.value))) {
    out.push_back(choice_of(space, best));
  }
  return out;
}

}  // namespace einsummable
