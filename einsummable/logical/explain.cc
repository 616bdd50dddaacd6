// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/explain.h"

#include <cstdio>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/exact_optimizer.h"
#include "einsummable/logical/table.h"
#include "einsummable/logical/time_optimizer.h"

namespace einsummable {
namespace {

std::string milliseconds(double ms) {
  char out[32];
  std::snprintf(out, sizeof out, "%.4f", ms);
  return out;
}

std::vector<std::pair<std::string, int64_t>> counts_of(const JoinAggSpec& spec) {
  std::vector<std::pair<std::string, int64_t>> out;
  for (size_t i = 0; i < spec.cuts().size(); ++i) {
    const Index& index = spec.signature().indices[i];
    if (index.cut != Index::Cut::never) out.emplace_back(index.name, count_of(spec.cuts()[i]));
  }
  return out;
}

PlannedShares shares_of(const Graph& graph, const LogicalPlan& plan, TimeModel& model) {
  constexpr double ms = 1e-6;
  const PlannedTime time = planned_time(graph, specs_of(plan), model);
  PlannedShares out{.total = static_cast<double>(time.total) * ms};
  for (const PlannedTime::OfOp& op : time.ops) {
    out.exchange += static_cast<double>(op.exchange) * ms;
    out.kernel += static_cast<double>(op.kernel) * ms;
  }
  return out;
}

Alternative alternative(const Candidates& candidates, const Choice& choice, OpId op,
                        TimeModel* model) {
  LogicalPlan plan = plan_of(candidates, choice);
  if (model != nullptr) add_costs(plan, candidates.graph());
  Alternative out;
  out.spec = plan.ops[op.index()].spec;
  out.counts = counts_of(*out.spec);
  out.cost = plan.cost;
  for (const PlannedOp& planned : plan.ops) {
    out.repartition += planned.repartition;
    out.join += planned.join;
    out.aggregation += planned.aggregation;
  }
  if (model != nullptr) out.time = shares_of(candidates.graph(), plan, *model);
  return out;
}

// By time, where that is what counts, then by cost.
bool better(const Alternative& a, const Alternative& b) {
  const double x = a.time ? a.time->total : 0, y = b.time ? b.time->total : 0;
  return x != y ? x < y : a.cost < b.cost;
}

// The sub-cost that grew most from the best plan to this one.
std::string lost_by(const Alternative& best, const Alternative& other) {
  if (other.time) {
    if (other.time->more <= 0) return "";
    const double exchange = other.time->exchange - best.time->exchange;
    return exchange >= other.time->kernel - best.time->kernel ? "exchange" : "kernel";
  }
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

// The best of each way to cut the operator, the best of all first.
std::vector<Alternative> alternatives(const Candidates& candidates,
                                      const std::vector<Choice>& choices, OpId op,
                                      TimeModel* model) {
  std::vector<Alternative> out;
  for (const Choice& choice : choices) {
    Alternative made = alternative(candidates, choice, op, model);
    const auto same = std::ranges::find(out, made.counts, &Alternative::counts);
    if (same == out.end()) {
      out.push_back(std::move(made));
    } else if (better(made, *same)) {
      *same = std::move(made);
    }
  }
  std::stable_sort(out.begin(), out.end(), better);
  return out;
}

std::vector<std::string> row_by_elements(const Alternative& each) {
  return {std::to_string(each.cost.main), std::to_string(each.delta),
          std::to_string(each.repartition), std::to_string(each.join),
          std::to_string(each.aggregation)};
}

std::vector<std::string> row_by_time(const PlannedShares& time) {
  return {milliseconds(time.total), milliseconds(time.more), milliseconds(time.exchange),
          milliseconds(time.kernel)};
}

}  // namespace

Explanation explain(const Graph& graph, const LogicalOptions& options, std::string_view op) {
  return explain(graph, optimise(graph, options), options, op);
}

Explanation explain(const Graph& graph, const LogicalPlan& plan, const LogicalOptions& options,
                    std::string_view op, TimeModel* model) {
  const OpId id = graph.find_op(op);
  if (!id.valid()) throw PlanError("there is no operator called " + quote(op) + " to explain");
  Pins pins = options.pins;
  pins.erase(std::string(op));
  const Candidates candidates(graph, options.p, pins, communication_proxy(),
                              model != nullptr ? Offer::divisors : Offer::most,
                              options.interruption);
  const std::vector<Choice> choices =
      model != nullptr ? choose_fastest_each(candidates, *model, id, options.table_budget)
                       : choose_optimal_each(candidates, id, options.table_budget);
  Explanation out{.op = std::string(op),
                  .reason = candidates.of(id).reason,
                  .alternatives = alternatives(candidates, choices, id, model)};
  const Alternative best = out.alternatives.front();
  const auto chosen = counts_of(*plan.ops[id.index()].spec);
  for (Alternative& each : out.alternatives) {
    each.chosen = each.counts == chosen;
    each.delta = each.cost.main - best.cost.main;
    if (each.time) each.time->more = each.time->total - best.time->total;
    each.lost_by = lost_by(best, each);
  }
  return out;
}

std::string text(const Explanation& explanation) {
  const bool by_time = explanation.alternatives.front().time.has_value();
  std::vector<std::vector<std::string>> rows = {
      by_time ? std::vector<std::string>{"cut", "", "ms", "more", "exchange", "kernel", "lost by"}
              : std::vector<std::string>{"cut", "", "cost", "more", "repartition", "join",
                                         "aggregation", "lost by"}};
  for (const Alternative& each : explanation.alternatives) {
    std::vector<std::string> counts;
    for (const auto& [name, count] : each.counts)
      counts.push_back(name + "=" + std::to_string(count));
    std::vector<std::string> row = {counts.empty() ? "-" : join(counts, " "),
                                    each.chosen ? "chosen" : ""};
    std::ranges::move(by_time ? row_by_time(*each.time) : row_by_elements(each),
                      std::back_inserter(row));
    row.push_back(each.lost_by);
    rows.push_back(std::move(row));
  }
  std::string out = explanation.op + ": the best whole plan for each way to cut it, in " +
                    (by_time ? "planned ms" : "elements") + "\n" + aligned_columns(rows, 2);
  if (!explanation.reason.empty()) out += explanation.reason + "\n";
  if (by_time && !explanation.alternatives.front().chosen) {
    out +=
        "the one chosen is not the first: plans are chosen by simulation, within pins and memory\n";
  }
  return out;
}

}  // namespace einsummable
