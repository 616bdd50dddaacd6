// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/executor/profile.h"
#include "einsummable/physical/physical_plan.h"
#include "einsummable/task/task_graph.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// The task graph of a plan as it runs on a topology, whose sites may share memory.
TaskGraph simulated_tasks(PhysicalPlan plan, const Topology& topology,
                          const Interruption& interruption = {});

// A task of a call that is simulated.
struct SimulatedTask {
  Span span;            // of a transfer: at the site that receives
  int64_t source = -1;  // of a transfer: the site that sends
  int64_t bytes = 0;    // of a transfer
};

// Every task of a call of the plan, simulated on a topology, in the order of the task graph. Throws
// TopologyError where that has fewer sites than the plan, or no way between two that it needs.
std::vector<SimulatedTask> simulate_call(const PhysicalPlan& plan, const Topology& topology,
                                         const Interruption& interruption = {});

}  // namespace einsummable
