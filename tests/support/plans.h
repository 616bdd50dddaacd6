// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "einsummable/logical/optimise.h"
#include "einsummable/physical/planner.h"

namespace einsummable {

// How many intervals each index of an operator is cut into, by name; the others stay whole.
using Counts = std::map<std::string, int64_t>;

// The operator's usual signature cut near-equally.
JoinAggSpec cut(const Operator& op, const Counts& counts);

// The graph pruned, each operator cut as its name says, the others not cut, placed on `sites`.
std::shared_ptr<const PhysicalPlan> plan_of(const Graph& graph, int64_t sites,
                                            const std::map<std::string, Counts>& counts);
// The graph pruned and planned in both stages.
std::shared_ptr<const PhysicalPlan> plan_of(const Graph& graph, const LogicalOptions& options,
                                            const Schedule& schedule = {});

// Programs searched for on links made at random, without latencies, so that small tensors are cut
// into pieces as large ones are.
Schedule searched_for(int64_t sites, uint64_t seed);

}  // namespace einsummable
