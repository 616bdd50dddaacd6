// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/logical_plan.h"

#include <array>
#include <cstdio>

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/cost_model.h"
#include "einsummable/logical/table.h"

namespace einsummable {
namespace {

constexpr std::array<std::string_view, 4> kSelectorNames = {"optimal", "paper", "greedy", "random"};

// "h=4 s=2": the indices that are cut.
std::string cut_text(const JoinAggSpec& spec) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < spec.cuts().size(); ++i) {
    if (count_of(spec.cuts()[i]) == 1) continue;
    parts.push_back(spec.signature().indices[i].name + "=" +
                    std::to_string(count_of(spec.cuts()[i])));
  }
  return parts.empty() ? "-" : join(parts, " ");
}

std::string shape_text(const Shape& shape) {
  std::vector<std::string> parts;
  for (int64_t extent : shape) parts.push_back(std::to_string(extent));
  return parts.empty() ? "scalar" : join(parts, " x ");
}

std::string percent(int64_t part, int64_t whole) {
  if (whole == 0) return "0 %";
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.0f %%",
                100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return buffer.data();
}

std::string cost_text(const Cost& cost) {
  return std::to_string(cost.main) + " " + std::to_string(cost.aggregations) + " " +
         std::to_string(cost.replicated);
}

// Repartition of one input: what is read of it, unless it is read in the tiling it is made in.
int64_t repartition(const LogicalPlan& plan, const Graph& graph, size_t consumer, size_t input) {
  const GraphTensor& tensor = graph.tensor(graph.ops()[consumer].inputs[input]);
  if (tensor.is_given()) return 0;
  const JoinAggSpec& reader = *plan.ops[consumer].spec;
  std::vector<Interval> all;
  for (const Index& index : reader.signature().indices) all.push_back({0, index.extent});
  const Box read = reader.signature().inputs[input](all);
  const JoinAggSpec& maker = *plan.ops[tensor.producer.index()].spec;
  const Tiling made = restrict_to(maker.output(static_cast<size_t>(tensor.output)), read);
  const Tiling wanted = reader.input(input);
  return made.product && wanted.product && made == wanted ? 0 : elements(read);
}

void add_cost(LogicalPlan& plan, const Graph& graph, const CostModel& model, size_t i) {
  PlannedOp& op = plan.ops[i];
  const OpCost cost = model.op(*graph.ops()[i].op, *op.spec);
  op.join = cost.join;
  op.aggregation = cost.aggregation;
  op.repartition = 0;
  for (size_t k = 0; k < graph.ops()[i].inputs.size(); ++k) {
    op.repartition = checked_add(op.repartition, repartition(plan, graph, i, k));
  }
  plan.cost.main = checked_add(plan.cost.main, checked_add(cost.total.main, op.repartition));
  plan.cost.aggregations = checked_add(plan.cost.aggregations, cost.total.aggregations);
  plan.cost.replicated = checked_add(plan.cost.replicated, cost.total.replicated);
}

}  // namespace

std::string_view name_of(Selector selector) {
  return kSelectorNames[static_cast<size_t>(selector)];
}

std::optional<Selector> find_selector(std::string_view name) {
  const auto found = std::ranges::find(kSelectorNames, name);
  if (found == kSelectorNames.end()) return std::nullopt;
  return static_cast<Selector>(found - kSelectorNames.begin());
}

void check_processors(int64_t p) {
  if (p >= 1 && p <= kMaximalProcessors) return;
  throw PlanError("a plan is for 1 to " + std::to_string(kMaximalProcessors) +
                  " processors, not for " + std::to_string(p));
}

std::vector<JoinAggSpec> specs_of(const LogicalPlan& plan) {
  std::vector<JoinAggSpec> specs;
  for (const PlannedOp& op : plan.ops) specs.push_back(*op.spec);
  return specs;
}

void add_costs(LogicalPlan& plan, const Graph& graph) {
  const CostModel model = communication_proxy();
  plan.cost = {};
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    try {
      add_cost(plan, graph, model, i);
    } catch (const Error& error) {
      refuse_costs(graph.ops()[i], error);
    }
  }
}

void verify(const LogicalPlan& plan, const Graph& graph) {
  if (plan.ops.size() != graph.ops().size()) {
    throw PlanError("the plan is for " + std::to_string(plan.ops.size()) +
                    " operators, the graph has " + std::to_string(graph.ops().size()));
  }
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    const std::string& name = graph.ops()[i].name;
    const JoinAggSpec& spec = *plan.ops[i].spec;
    const std::vector<Signature> signatures = graph.ops()[i].op->signatures();
    if (std::ranges::find(signatures, spec.signature()) == signatures.end()) {
      throw PlanError("the spec of " + quote(name) + " is none of this operator");
    }
    if (spec.cells() > plan.p) {
      throw PlanError("the spec of " + quote(name) + " has " + std::to_string(spec.cells()) +
                      " cells, the plan is for " + std::to_string(plan.p) + " processors");
    }
    for (size_t o = 0; o < spec.signature().outputs.size(); ++o) {
      if (!tiles(spec.output(o), graph.ops()[i].op->outputs()[o].bounds)) {
        throw PlanError("the output blocks of " + quote(name) + " do not tile its output");
      }
    }
  }
  LogicalPlan fresh = plan;
  add_costs(fresh, graph);
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    const PlannedOp &has = plan.ops[i], &is = fresh.ops[i];
    if (has.repartition != is.repartition || has.join != is.join ||
        has.aggregation != is.aggregation) {
      throw PlanError("the costs of " + quote(graph.ops()[i].name) + " are not those of its spec");
    }
  }
  if (fresh.cost != plan.cost) {
    throw PlanError("cost: the plan says " + cost_text(plan.cost) + ", its specs cost " +
                    cost_text(fresh.cost));
  }
}

std::string table(const LogicalPlan& plan, const Graph& graph) {
  std::vector<std::vector<std::string>> rows = {
      {"operator", "shape", "cut", "p", "repartition", "join", "aggregation", "share"}};
  std::string notes;
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    const PlannedOp& op = plan.ops[i];
    rows.push_back({graph.ops()[i].name, shape_text(graph.ops()[i].op->outputs()[0].shape()),
                    cut_text(*op.spec), std::to_string(op.spec->cells()),
                    std::to_string(op.repartition), std::to_string(op.join),
                    std::to_string(op.aggregation), percent(op.cost(), plan.cost.main)});
    const bool has_indices = !op.spec->signature().indices.empty();  // a scalar: nothing to cut
    if (has_indices && !op.reason.empty()) notes += graph.ops()[i].name + ": " + op.reason + "\n";
  }
  std::string total = "total " + std::to_string(plan.cost.main) + " elements";
  const std::string size =
      "width " + std::to_string(plan.width) + ", " + std::to_string(plan.ops.size()) + " operators";
  if (plan.exact()) {
    total += "; exact (" + size + ")";
  } else if (plan.bound) {
    total += "; at most " + std::to_string(plan.cost.main - plan.bound->main) +
             " more than the best (" + size + ")";
  } else if (plan.selector == Selector::optimal) {
    total += "; chosen by predicted time";
  } else {
    total += "; selector " + std::string(name_of(plan.selector));
  }
  return aligned_columns(rows, 3) + total + "\n" + notes;
}

}  // namespace einsummable
