// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/graph/graph.h"
#include "einsummable/logical/cost.h"

namespace einsummable {

// How a plan's specs are selected; DESIGN.md section 5.
enum class Selector : uint8_t { optimal, paper, greedy, random };

std::string_view name_of(Selector selector);
std::optional<Selector> find_selector(std::string_view name);

inline constexpr int64_t kMaximalProcessors = 4096;

// Throws PlanError unless p is from 1 to kMaximalProcessors.
void check_processors(int64_t p);

// The chosen spec of one operator and what it costs, in elements (Section 4.3).
struct PlannedOp {
  std::shared_ptr<const JoinAggSpec> spec;
  int64_t repartition = 0;  // of the inputs that other operators make
  int64_t join = 0;
  int64_t aggregation = 0;
  std::string reason;  // why not the usual signature, or not p cells; else empty

  int64_t cost() const { return repartition + join + aggregation; }
};

// A join-agg spec for every operator of a graph: the result of logical optimisation (Section 4).
struct LogicalPlan {
  int64_t p = 1;
  Selector selector = Selector::optimal;
  std::vector<PlannedOp> ops;  // by OpId
  Cost cost;
  std::optional<Cost> bound;  // no plan costs less; none if the selector gives no bound
  int width = 0;              // of the elimination that found it

  bool exact() const { return bound == cost; }
};

// The spec of every operator.
std::vector<JoinAggSpec> specs_of(const LogicalPlan& plan);

// Fills in the costs that follow from the specs: those of the operators and their sum.
void add_costs(LogicalPlan& plan, const Graph& graph);

// Checks what later stages rely on: a spec for every operator, of one of its signatures, with at
// most p cells, whose outputs tile; and that the costs are those of the specs. Throws PlanError.
void verify(const LogicalPlan& plan, const Graph& graph);

// A table: operator, shape of its first output, what is cut, cells, the three sub-costs and the
// share of the total; then the total, and why operators have fewer than p cells.
std::string table(const LogicalPlan& plan, const Graph& graph);

// The plan as a section of a plan file, and back. Indices that are not named are not cut.
//   logical 1
//   p 8
//   selector optimal
//   cost 209715200 0 167772160
//   bound 209715200 0 167772160
//   width 1
//   spec "up" k {0, 1792, 3584, 5376, 7168, 8960, 10752, 12544, 14336}
// Parsing throws PlanError for text that is no plan for the graph, with line and column or with the
// field that differs.
std::string text(const LogicalPlan& plan, const Graph& graph);
LogicalPlan parse_logical_plan(std::string_view text, const Graph& graph);

}  // namespace einsummable
