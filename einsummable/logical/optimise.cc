// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/optimise.h"

#include "einsummable/base/error.h"
#include "einsummable/logical/exact_optimizer.h"
#include "einsummable/logical/selectors.h"
#include "einsummable/logical/tree_optimizer.h"

namespace einsummable {
namespace {

Choice choose(const Candidates& candidates, const LogicalOptions& options) {
  switch (options.selector) {
    case Selector::optimal:
      return choose_optimal(candidates, options.table_budget);
    case Selector::paper:
      return choose_paper(candidates);
    case Selector::greedy:
      return choose_greedy(candidates);
    case Selector::random:
      return choose_random(candidates, options.seed);
  }
  throw InternalError("unknown selector");
}

}  // namespace

LogicalPlan plan_of(const Candidates& candidates, const Choice& choice) {
  LogicalPlan plan{.p = candidates.p(),
                   .selector = Selector::optimal,
                   .ops = {},
                   .cost = {},
                   .bound = choice.bound};
  for (size_t i = 0; i < choice.pick.size(); ++i) {
    candidates.interruption().check();
    const OpId op(static_cast<int64_t>(i));
    const Candidate& candidate = candidates.candidate(op, choice.pick[i]);
    plan.ops.push_back({.spec = candidate.spec,
                        .join = candidate.cost.join,
                        .aggregation = candidate.cost.aggregation,
                        .reason = candidates.of(op).reason});
  }
  for (size_t e = 0; e < candidates.edges().size(); ++e) {
    candidates.interruption().check();
    const Edge& edge = candidates.edges()[e];
    const Cost cost = candidates.edge_cost(
        e, candidates.candidate(edge.producer, choice.pick[edge.producer.index()]),
        candidates.candidate(edge.consumer, choice.pick[edge.consumer.index()]));
    plan.ops[edge.consumer.index()].repartition += cost.main;
  }
  plan.cost = choice.cost;
  plan.width = choice.width;
  return plan;
}

LogicalPlan optimise(const Graph& graph, const LogicalOptions& options) {
  check_processors(options.p);
  const Candidates candidates(graph, options.p, options.pins, communication_proxy(), Offer::most,
                              options.interruption);
  LogicalPlan plan = plan_of(candidates, choose(candidates, options));
  plan.selector = options.selector;
  return plan;
}

}  // namespace einsummable
