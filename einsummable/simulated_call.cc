// SPDX-License-Identifier: Apache-2.0
#include "einsummable/simulated_call.h"

#include <memory>

#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/simulation.h"

namespace einsummable {

TaskGraph simulated_tasks(PhysicalPlan plan, const Topology& topology,
                          const Interruption& interruption) {
  const Traits traits{.memory = topology.handover ? Traits::Memory::shared
                                                  : Traits::Memory::private_sites};
  TaskGraph tasks =
      lower(std::make_shared<const PhysicalPlan>(std::move(plan)), traits, interruption);
  fuse(tasks, traits, interruption);
  return tasks;
}

std::vector<SimulatedTask> simulate_call(const PhysicalPlan& plan, const Topology& topology,
                                         const Interruption& interruption) {
  const TaskGraph tasks = simulated_tasks(plan, topology, interruption);
  const TaskSimulation simulation = simulate(tasks, topology);
  std::vector<TaskTime> times;
  for (size_t t = 0; t < tasks.tasks.size(); ++t) {
    const double start = simulation.start[t];
    times.push_back({.start = start * 1e-3, .seconds = (simulation.end[t] - start) * 1e-3});
  }
  std::vector<SimulatedTask> out;
  for (Span& span : spans(tasks, times)) {
    const Task& task = tasks.tasks[out.size()];
    SimulatedTask& last = out.emplace_back(SimulatedTask{.span = std::move(span)});
    if (task.kind != Task::Kind::transfer) continue;
    last.source = tasks.buffer(task.reads[0].buffer).site.value;
    last.bytes = transferred_bytes(tasks, task);
  }
  return out;
}

}  // namespace einsummable
