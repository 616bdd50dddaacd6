// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "einsummable/graph/graph.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/logical/time_model.h"
#include "einsummable/physical/planner.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// The ms that a call is predicted to take on a topology, host transfers apart.
struct Prediction {
  double planned = 0;    // by ExchangeTime and kernel_seconds() for cells where the plan has placed
                         // them, as PlannedTime::overlapped
  double simulated = 0;  // as a task graph whose work and copies overlap
};

// Predicts a call of a plan, whose programs are what is simulated. Of layers that are alike the
// first three are simulated: those beyond take what the third adds. `schedule` makes the programs
// that fetch what these leave.
Prediction predict(const PhysicalPlan& plan, const Topology& topology,
                   const Schedule& schedule = {});

// Places cells and makes programs by a schedule that searches. They are the naive ones instead
// where all of the plan then takes less time when simulated: a program alone is never slower than
// the naive one, but it may wait for, or be in the way of, what runs beside it.
PhysicalPlan place_for_time(const std::shared_ptr<const Graph>& graph,
                            const std::vector<JoinAggSpec>& specs, const PhysicalOptions& options);

// How a plan of least time is looked for.
struct TimeSearch {
  size_t plans = 16;  // of least planned time that are simulated, beside the proxy's best
  std::optional<DType> partial_dtype = {};
  Schedule schedule = {};
  // Simulations a program at most while plans are compared; the best and the proxy's are then
  // compared once more, with the schedule's own budget.
  int64_t ranking_budget = 12;
};

struct FastestPlan {
  LogicalPlan plan;
  double ms;                  // simulated
  double choice_seconds = 0;  // that choosing by planned time took, before any simulation
};
// The plan that takes least time when simulated, of the best ones by planned time and the one that
// the proxy would choose; the earlier of equals, in that order. Throws PlanError as optimise()
// does, TopologyError where the topology has fewer sites than p, or no way that any of them needs.
FastestPlan find_fastest(const std::shared_ptr<const Graph>& graph, const LogicalOptions& options,
                         const Topology& topology, const TimeSearch& search = {});

struct SimulatedPlan {
  size_t index;
  double ms;
};
// The plan that takes least time when simulated, the earlier of equals. All are compared with the
// ranking budget; the best of them and the last one, as if it were the proxy's, once more with the
// schedule's own. `search.plans` does not count. Throws TopologyError where none can be simulated.
SimulatedPlan fastest_of(const std::shared_ptr<const Graph>& graph,
                         const std::vector<LogicalPlan>& plans, TimeModel& model,
                         const TimeSearch& search, const Interruption& interruption);

}  // namespace einsummable
