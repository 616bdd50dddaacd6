// SPDX-License-Identifier: Apache-2.0
#include "einsummable/prediction.h"

#include <chrono>
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

  // The ms that all of it takes, by a plan with at least so many; `time` is of all.
  double simulated(const PhysicalPlan& plan, const PlannedTime& time, const Topology& topology,
                   Schedule schedule, const Interruption& interruption) const {
    schedule.search.proposer = {};  // a prediction asks nobody
    const auto ms_of = [&](size_t ops) {
      return ops == plan.specs.size()
                 ? simulated_ms(plan, topology, interruption)
                 : simulated_ms(first_ops(plan, ops, schedule), topology, interruption);
    };
    double ms = ms_of(ops_);
    if (!layers_) return ms;
    ms += static_cast<double>(layers_->count - 3) * (ms - ms_of(ops_ - layers_->period));
    for (size_t i = layers_->end(); i < time.ops.size(); ++i) {
      ms += static_cast<double>(time.ops[i].exchange + time.ops[i].kernel) * 1e-6;
    }
    return ms;
  }

 private:
  size_t ops_;
  std::optional<Repetition> layers_;  // four or more
};

struct Placed {
  PhysicalPlan plan;
  double ms;  // simulated
};

// A plan of the graph, or of its first operators, with the programs of the schedule: or with naive
// ones, where all of it then takes less time. `part` and `time` are of the whole graph.
Placed place_faster(const PredictedPart& part, const PlannedTime& time,
                    const std::shared_ptr<const Graph>& graph,
                    const std::vector<JoinAggSpec>& specs, const Topology& topology,
                    const PhysicalOptions& options) {
  const auto placed = [&](const PhysicalOptions& with) -> Placed {
    PhysicalPlan plan = place_and_synthesise(graph, specs, topology.sites(), with);
    const double ms = part.simulated(plan, time, topology, with.schedule, with.interruption);
    return {std::move(plan), ms};
  };
  Placed best = placed(options);
  if (!options.schedule.topology) return best;
  PhysicalOptions plain = options;
  plain.schedule = {};
  try {
    Placed naive = placed(plain);
    if (naive.ms >= best.ms) return best;
    naive.plan.search = std::move(best.plan.search);
    return naive;
  } catch (const TopologyError&) {
    return best;  // where what is naive has no way
  }
}

// The ms that operators cut so take when simulated.
double simulated_with(TimeModel& model, const std::shared_ptr<const Graph>& graph,
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
      .ms;
}

// The plan whose simulation takes the least time; the earlier of equals. Throws TopologyError where
// none can be simulated.
SimulatedPlan fastest_by(const std::vector<size_t>& plans,
                         const std::function<double(size_t)>& simulated) {
  std::optional<SimulatedPlan> best;
  std::string no_way;  // why none of them can be so far
  for (size_t plan : plans) {
    try {
      const double ms = simulated(plan);
      if (!best || ms < best->ms) best = {plan, ms};
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
  std::vector<std::vector<int32_t>> sites;
  for (const std::vector<SiteId>& cells : plan.placement) {
    sites.emplace_back();
    for (SiteId site : cells) sites.back().push_back(site.value);
  }
  const PlannedTime time = planned_time(*plan.graph, plan.specs, model, sites);
  const PredictedPart part(*plan.graph, plan.specs);
  return {.planned = static_cast<double>(time.overlapped) * 1e-6,
          .simulated = part.simulated(plan, time, topology, schedule, {})};
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
  const auto began = std::chrono::steady_clock::now();
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
  const std::chrono::duration<double> chosen = std::chrono::steady_clock::now() - began;
  plans.push_back(optimise(*graph, options));
  const SimulatedPlan best = fastest_of(graph, plans, model, search, options.interruption);
  return {std::move(plans[best.index]), best.ms, chosen.count()};
}

SimulatedPlan fastest_of(const std::shared_ptr<const Graph>& graph,
                         const std::vector<LogicalPlan>& plans, TimeModel& model,
                         const TimeSearch& search, const Interruption& interruption) {
  Schedule quick = search.schedule;
  quick.search.budget = std::min(quick.search.budget, search.ranking_budget);
  const auto by = [&](const Schedule& schedule) {
    return [&](size_t plan) {
      return simulated_with(model, graph, specs_of(plans[plan]), schedule, interruption);
    };
  };
  std::vector<size_t> all(plans.size());
  std::iota(all.begin(), all.end(), size_t{0});
  SimulatedPlan best = fastest_by(all, by(quick));
  if (quick.search.budget < search.schedule.search.budget) {
    best = fastest_by({best.index, all.back()}, by(search.schedule));
  }
  return best;
}

}  // namespace einsummable
