// SPDX-License-Identifier: Apache-2.0
#include "einsummable/prediction.h"

#include <map>

#include "einsummable/base/error.h"
#include "einsummable/graph/repetition.h"
#include "einsummable/logical/time_optimizer.h"
#include "einsummable/physical/planner.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/simulation.h"

namespace einsummable {
namespace {

// Equal numbers for operators that are the same, cut the same, and read from as far back.
std::vector<int64_t> kinds_of(const Graph& graph, const std::vector<JoinAggSpec>& specs) {
  struct Kind {
    const Operator* op;
    const JoinAggSpec* spec;
    std::vector<int64_t> distances;  // to each input's producer; -1 for what is given
  };
  std::vector<Kind> kinds;
  std::map<std::vector<int64_t>, std::vector<size_t>> by_distances;
  std::vector<int64_t> out;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    Kind kind{graph.ops()[i].op.get(), &specs[i], {}};
    for (TensorId input : graph.ops()[i].inputs) {
      const OpId producer = graph.tensor(input).producer;
      kind.distances.push_back(producer.valid() ? static_cast<int64_t>(i) - producer.value : -1);
    }
    std::vector<size_t>& alike = by_distances[kind.distances];
    const auto same = std::ranges::find_if(alike, [&](size_t k) {
      return kinds[k].op->name() == kind.op->name() && kinds[k].op->inputs() == kind.op->inputs() &&
             kinds[k].op->attributes() == kind.op->attributes() && *kinds[k].spec == *kind.spec;
    });
    out.push_back(static_cast<int64_t>(same == alike.end() ? kinds.size() : *same));
    if (same != alike.end()) continue;
    alike.push_back(kinds.size());
    kinds.push_back(std::move(kind));
  }
  return out;
}

double simulated_ms(const std::shared_ptr<const Graph>& graph, std::vector<JoinAggSpec> specs,
                    const TimeModel& model, const Interruption& interruption) {
  const Topology& topology = model.topology();
  const Traits traits{.memory = topology.handover ? Traits::Memory::shared
                                                  : Traits::Memory::private_sites};
  auto plan = std::make_shared<const PhysicalPlan>(
      place_and_synthesise(graph, std::move(specs), topology.sites(),
                           {.partial_dtype = model.partial_dtype(), .interruption = interruption}));
  TaskGraph tasks = lower(std::move(plan), traits, interruption);
  fuse_elementwise(tasks, interruption);
  return simulate(tasks, topology).ms;
}

// Of the first operators alone.
double simulated_ms(const Graph& graph, const std::vector<JoinAggSpec>& specs, size_t ops,
                    const TimeModel& model, const Interruption& interruption) {
  const auto end = specs.begin() + static_cast<std::ptrdiff_t>(ops);
  return simulated_ms(std::make_shared<const Graph>(prefix(graph, ops)), {specs.begin(), end},
                      model, interruption);
}

Prediction predict_with(TimeModel& model, const std::shared_ptr<const Graph>& graph,
                        const std::vector<JoinAggSpec>& specs, const Interruption& interruption) {
  interruption.check();
  const PlannedTime time = planned_time(*graph, specs, model);
  Prediction out{.planned = static_cast<double>(time.total) * 1e-6};
  const auto layers = find_repetition(kinds_of(*graph, specs));
  if (!layers || layers->count <= 3) {
    out.simulated = simulated_ms(graph, specs, model, interruption);
    return out;
  }
  const size_t second = layers->first + 2 * layers->period, third = second + layers->period;
  const double after_two = simulated_ms(*graph, specs, second, model, interruption);
  const double after_three = simulated_ms(*graph, specs, third, model, interruption);
  out.simulated = after_three + static_cast<double>(layers->count - 3) * (after_three - after_two);
  for (size_t i = layers->end(); i < specs.size(); ++i) {
    out.simulated += static_cast<double>(time.ops[i].exchange + time.ops[i].kernel) * 1e-6;
  }
  return out;
}

void require_as_many_sites(const Topology& topology, int64_t p,
                           const std::vector<JoinAggSpec>& specs) {
  for (const JoinAggSpec& spec : specs) p = std::max(p, spec.cells());
  if (topology.sites() >= p) return;
  throw TopologyError("the plan is for " + std::to_string(p) + " sites, " + topology.name +
                      " has " + std::to_string(topology.sites()));
}

}  // namespace

Prediction predict(const std::shared_ptr<const Graph>& graph, const std::vector<JoinAggSpec>& specs,
                   const Topology& topology, std::optional<DType> partial_dtype) {
  require_as_many_sites(topology, 0, specs);
  TimeModel model(topology, partial_dtype);
  return predict_with(model, graph, specs, {});
}

FastestPlan find_fastest(const std::shared_ptr<const Graph>& graph, const LogicalOptions& options,
                         const Topology& topology, const TimeSearch& search) {
  require_as_many_sites(topology, options.p, {});
  TimeModel model(topology, search.partial_dtype);
  const Candidates candidates(*graph, options.p, options.pins, communication_proxy(),
                              Offer::divisors, options.interruption);
  std::vector<LogicalPlan> plans;
  for (const Choice& choice :
       choose_fastest(candidates, model, options.table_budget, search.plans)) {
    plans.push_back(plan_of(candidates, choice));
    plans.back().bound.reset();
    add_costs(plans.back(), *graph);
  }
  plans.push_back(optimise(*graph, options));
  std::optional<FastestPlan> best;
  std::string no_way;  // why none of the plans can be simulated so far
  for (LogicalPlan& plan : plans) {
    try {
      const Prediction prediction =
          predict_with(model, graph, specs_of(plan), options.interruption);
      if (best && prediction.simulated >= best->prediction.simulated) continue;
      best = FastestPlan{std::move(plan), prediction};
    } catch (const TopologyError& error) {
      no_way = error.what();
    }
  }
  if (!best) throw TopologyError(no_way);
  return *std::move(best);
}

}  // namespace einsummable
