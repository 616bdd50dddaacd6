// SPDX-License-Identifier: Apache-2.0
#include "einsummable/prediction.h"

#include <functional>
#include <map>
#include <numeric>

#include "einsummable/base/error.h"
#include "einsummable/graph/repetition.h"
#include "einsummable/logical/time_optimizer.h"
#include "einsummable/physical/planner.h"
#include "einsummable/simulated_call.h"
#include "einsummable/task/simulation.h"
#include "einsummable/topology/resolve.h"

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

double simulated_ms(PhysicalPlan plan, const Topology& topology, const Interruption& interruption) {
  return simulate(simulated_tasks(std::move(plan), topology, interruption), topology).ms;
}

// What of a graph is simulated to predict all of it.
class PredictedPart {
 public:
  PredictedPart(const Graph& graph, const std::vector<JoinAggSpec>& specs) : ops_(specs.size()) {
    layers_ = find_repetition(kinds_of(graph, specs));
    if (layers_ && layers_->count <= 3) layers_.reset();
    if (layers_) ops_ = layers_->first + 3 * layers_->period;
  }

  // How many operators, the first ones.
  size_t ops() const { return ops_; }

  // Of a plan with at least so many; `time` is of all.
  Prediction predict(const PhysicalPlan& plan, const PlannedTime& time, const Topology& topology,
                     Schedule schedule, const Interruption& interruption) const {
    schedule.search.proposer = {};  // a prediction asks nobody
    const auto simulated = [&](size_t ops) {
      return ops == plan.specs.size()
                 ? simulated_ms(plan, topology, interruption)
                 : simulated_ms(first_ops(plan, ops, schedule), topology, interruption);
    };
    Prediction out{.planned = static_cast<double>(time.overlapped) * 1e-6,
                   .simulated = simulated(ops_)};
    if (!layers_) return out;
    const double third = out.simulated - simulated(ops_ - layers_->period);
    out.simulated += static_cast<double>(layers_->count - 3) * third;
    for (size_t i = layers_->end(); i < time.ops.size(); ++i) {
      out.simulated += static_cast<double>(time.ops[i].exchange + time.ops[i].kernel) * 1e-6;
    }
    return out;
  }

 private:
  size_t ops_;
  std::optional<Repetition> layers_;  // four or more
};

struct Placed {
  PhysicalPlan plan;
  Prediction prediction;
};

// A plan of the graph, or of its first operators, with the programs of the schedule: or with naive
// ones, where all of it then takes less time. `part` and `time` are of the whole graph.
Placed place_faster(const PredictedPart& part, const PlannedTime& time,
                    const std::shared_ptr<const Graph>& graph,
                    const std::vector<JoinAggSpec>& specs, const Topology& topology,
                    const PhysicalOptions& options) {
  const auto placed = [&](const PhysicalOptions& with) -> Placed {
    PhysicalPlan plan = place_and_synthesise(graph, specs, topology.sites(), with);
    const Prediction prediction =
        part.predict(plan, time, topology, with.schedule, with.interruption);
    return {std::move(plan), prediction};
  };
  Placed best = placed(options);
  if (!options.schedule.topology) return best;
  PhysicalOptions plain = options;
  plain.schedule = {};
  try {
    Placed naive = placed(plain);
    if (naive.prediction.simulated >= best.prediction.simulated) return best;
    naive.plan.search = std::move(best.plan.search);
    return naive;
  } catch (const TopologyError&) {
    return best;  // where what is naive has no way
  }
}

// Of operators cut so.
Prediction predict_with(TimeModel& model, const std::shared_ptr<const Graph>& graph,
                        const std::vector<JoinAggSpec>& specs, const Schedule& schedule,
                        const Interruption& interruption) {
  interruption.check();
  const PlannedTime time = planned_time(*graph, specs, model);
  const PredictedPart part(*graph, specs);
  const bool all = part.ops() == specs.size();
  const auto end = specs.begin() + static_cast<std::ptrdiff_t>(part.ops());
  return place_faster(part, time,
                      all ? graph : std::make_shared<const Graph>(prefix(*graph, part.ops())),
                      {specs.begin(), end}, model.topology(),
                      {.partial_dtype = model.partial_dtype(),
                       .schedule = schedule,
                       .interruption = interruption})
      .prediction;
}

// The plan whose simulation takes the least time; the earlier of equals. Throws TopologyError where
// none can be simulated.
std::pair<size_t, Prediction> fastest_by(const std::vector<size_t>& plans,
                                         const std::function<Prediction(size_t)>& predicted) {
  std::optional<std::pair<size_t, Prediction>> best;
  std::string no_way;  // why none of them can be so far
  for (size_t plan : plans) {
    try {
      const Prediction prediction = predicted(plan);
      if (best && prediction.simulated >= best->second.simulated) continue;
      best = {plan, prediction};
    } catch (const TopologyError& error) {
      no_way = error.what();
    }
  }
  if (!best) throw TopologyError(no_way);
  return *best;
}

}  // namespace

Prediction predict(const PhysicalPlan& plan, const Topology& topology, const Schedule& schedule) {
  require_sites(topology, plan.sites);
  TimeModel model(topology, plan.partial_dtype);
  const PlannedTime time = planned_time(*plan.graph, plan.specs, model);
  return PredictedPart(*plan.graph, plan.specs).predict(plan, time, topology, schedule, {});
}

PhysicalPlan place_for_time(const std::shared_ptr<const Graph>& graph,
                            const std::vector<JoinAggSpec>& specs, const PhysicalOptions& options) {
  const Topology& topology = *options.schedule.topology;
  TimeModel model(topology, options.partial_dtype);
  return place_faster(PredictedPart(*graph, specs), planned_time(*graph, specs, model), graph,
                      specs, topology, options)
      .plan;
}

FastestPlan find_fastest(const std::shared_ptr<const Graph>& graph, const LogicalOptions& options,
                         const Topology& topology, const TimeSearch& search) {
  require_sites(topology, options.p);
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
  const auto [best, prediction] = fastest_of(graph, plans, model, search, options.interruption);
  return {std::move(plans[best]), prediction};
}

std::pair<size_t, Prediction> fastest_of(const std::shared_ptr<const Graph>& graph,
                                         const std::vector<LogicalPlan>& plans, TimeModel& model,
                                         const TimeSearch& search,
                                         const Interruption& interruption) {
  Schedule quick = search.schedule;
  quick.search.budget = std::min(quick.search.budget, search.ranking_budget);
  const auto predicted = [&](const Schedule& schedule) {
    return [&](size_t plan) {
      return predict_with(model, graph, specs_of(plans[plan]), schedule, interruption);
    };
  };
  std::vector<size_t> all(plans.size());
  std::iota(all.begin(), all.end(), size_t{0});
  auto best = fastest_by(all, predicted(quick));
  if (quick.search.budget < search.schedule.search.budget) {
    best = fastest_by({best.first, all.back()}, predicted(search.schedule));
  }
  return best;
}

}  // namespace einsummable
