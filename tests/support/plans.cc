// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plans.h"

#include "einsummable/base/error.h"
#include "tests/support/topologies.h"

namespace einsummable {

JoinAggSpec cut(const Operator& op, const Counts& counts) {
  auto signature = std::make_shared<const Signature>(op.signatures()[0]);
  std::vector<Cuts> cuts;
  for (const Index& index : signature->indices) {
    const auto count = counts.find(index.name);
    cuts.push_back(count == counts.end() ? uncut(index) : near_equal(index, count->second).value());
  }
  for (const auto& [name, count] : counts) {
    ensure(find_index(*signature, name) >= 0, "no index " + name + " in " + text(*signature));
  }
  return {std::move(signature), std::move(cuts)};
}

std::shared_ptr<const PhysicalPlan> plan_of(const Graph& graph, int64_t sites,
                                            const std::map<std::string, Counts>& counts) {
  auto pruned = std::make_shared<const Graph>(prune(graph));
  std::vector<JoinAggSpec> specs;
  for (const GraphOp& op : pruned->ops()) {
    const auto of_op = counts.find(op.name);
    specs.push_back(cut(*op.op, of_op == counts.end() ? Counts{} : of_op->second));
  }
  return std::make_shared<const PhysicalPlan>(place_and_synthesise(pruned, specs, sites));
}

std::shared_ptr<const PhysicalPlan> plan_of(const Graph& graph, const LogicalOptions& options,
                                            const Schedule& schedule) {
  auto pruned = std::make_shared<const Graph>(prune(graph));
  const LogicalPlan logical = optimise(*pruned, options);
  return std::make_shared<const PhysicalPlan>(
      place_and_synthesise(pruned, specs_of(logical), options.p, {.schedule = schedule}));
}

Schedule searched_for(int64_t sites, uint64_t seed) {
  std::mt19937_64 random(seed);
  return {.topology = std::make_shared<const Topology>(linked(sites, random)),
          .search = {.seed = seed, .budget = 20, .ideal = true}};
}

}  // namespace einsummable
