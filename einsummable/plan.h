// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "einsummable/logical/logical_plan.h"
#include "einsummable/physical/physical_plan.h"
#include "einsummable/topology/resolve.h"

namespace einsummable {

// What a plan is chosen by: the elements that move (Section 4.3), or the time that it is predicted
// to take.
enum class Objective : uint8_t { proxy, time };
std::string_view name(Objective objective);
std::optional<Objective> find_objective(std::string_view name);

// How an operator of a graph is cut, where its cells run, and every byte that moves. Needs no
// device.
struct Plan {
  std::shared_ptr<const Graph> graph;  // without operators that no saved tensor needs
  LogicalPlan logical;
  std::shared_ptr<const PhysicalPlan> physical;
  Objective objective = Objective::proxy;
  std::shared_ptr<const MachineSites> machine = {};  // its times are of; null if that has no file
};

// 16 hexadecimal digits that follow from the graph, its shapes and dtypes, the number of devices,
// the dtype of partial sums, if it is not that of the operators, the objective and the machine.
std::string fingerprint(const Plan& plan);

// A plan file: its version, the fingerprint and the objective, then graph, machine, logical and
// physical plan as texts.
std::string plan_file(const Plan& plan);

// Reads a plan file. Costs are computed and programs checked anew. Throws PlanError that names the
// section and line, or the field that differs; TopologyError for a machine that is none.
Plan parse_plan_file(std::string_view text);

// Throws PlanError unless the plan was made for this graph: names the first operator, tensor or
// saved tensor that differs.
void require_plan_of(const Plan& plan, const Graph& graph);

}  // namespace einsummable
