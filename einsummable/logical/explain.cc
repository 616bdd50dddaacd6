// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/explain.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/exact_optimizer.h"
#include "einsummable/logical/table.h"

namespace einsummable {
namespace {

std::vector<std::pair<std::string, int64_t>> counts_of(const JoinAggSpec& spec) {
  std::vector<std::pair<std::string, int64_t>> out;
  for (size_t i = 0; i < spec.cuts().size(); ++i) {
    const Index& index = spec.signature().indices[i];
    if (index.cut != Index::Cut::never) out.emplace_back(index.name, count_of(spec.cuts()[i]));
  }
  return out;
}

Alternative alternative(const Candidates& candidates, const Choice& choice, OpId op) {
  const LogicalPlan plan = plan_of(candidates, choice);
  Alternative out;
  out.spec = plan.ops[op.index()].spec;
  out.counts = counts_of(*out.spec);
  out.cost = choice.cost;
  for (const PlannedOp& planned : plan.ops) {
    out.repartition += planned.repartition;
    out.join += planned.join;
    out.aggregation += planned.aggregation;
  }
  return out;
}

// The sub-cost that grew most from the best plan to this one.
std::string lost_by(const Alternative& best, const Alternative& other) {
  const std::pair<int64_t, const char*> terms[] = {
      {other.repartition - best.repartition, "repartition"},
      {other.join - best.join, "join"},
      {other.aggregation - best.aggregation, "aggregation"}};
  const auto& most = *std::ranges::max_element(terms, {}, [](const auto& t) { return t.first; });
  if (other.cost == best.cost) return "";
  if (other.delta > 0) return most.second;
  return other.cost.aggregations > best.cost.aggregations ? "number of aggregations"
                                                          : "replication";
}

}  // namespace

Explanation explain(const Graph& graph, const LogicalOptions& options, std::string_view op) {
  return explain(graph, optimise(graph, options), options, op);
}

Explanation explain(const Graph& graph, const LogicalPlan& plan, const LogicalOptions& options,
                    std::string_view op) {
  const OpId id = graph.find_op(op);
  if (!id.valid()) throw PlanError("there is no operator called " + quote(op) + " to explain");
  Pins pins = options.pins;
  pins.erase(std::string(op));
  const Candidates candidates(graph, options.p, pins, communication_proxy(), Offer::most,
                              options.interruption);
  Explanation out{.op = std::string(op), .reason = candidates.of(id).reason, .alternatives = {}};
  for (const Choice& choice : choose_optimal_each(candidates, id, options.table_budget)) {
    Alternative made = alternative(candidates, choice, id);
    const auto same = std::ranges::find(out.alternatives, made.counts, &Alternative::counts);
    if (same == out.alternatives.end()) {
      out.alternatives.push_back(std::move(made));
    } else if (made.cost < same->cost) {
      *same = std::move(made);
    }
  }
  std::ranges::stable_sort(out.alternatives, {}, &Alternative::cost);
  const Alternative best = out.alternatives.front();
  const auto chosen = counts_of(*plan.ops[id.index()].spec);
  for (Alternative& each : out.alternatives) {
    each.chosen = each.counts == chosen;
    each.delta = each.cost.main - best.cost.main;
    each.lost_by = lost_by(best, each);
  }
  return out;
}

std::string text(const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows = {
      {"cut", "", "cost", "more", "repartition", "join", "aggregation", "lost by"}};
  for (const Alternative& each : explanation.alternatives) {
    std::vector<std::string> counts;
    for (const auto& [name, count] : each.counts)
      counts.push_back(name + "=" + std::to_string(count));
    rows.push_back({counts.empty() ? "-" : join(counts, " "), each.chosen ? "chosen" : "",
                    std::to_string(each.cost.main), std::to_string(each.delta),
                    std::to_string(each.repartition), std::to_string(each.join),
                    std::to_string(each.aggregation), each.lost_by});
  }
  std::string out = explanation.op + ": the best whole plan for each way to cut it, in elements\n" +
                    aligned_columns(rows, 2);
  if (!explanation.reason.empty()) out += explanation.reason + "\n";
  return out;
}

}  // namespace einsummable
