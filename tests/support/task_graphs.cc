// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_graphs.h"

#include <algorithm>

#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"

namespace einsummable {

TaskGraph lowered(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits, Fusing fusing) {
  TaskGraph graph = lower(std::move(plan), traits);
  if (fusing == Fusing::on) fuse(graph, traits);
  plan_memory(graph, traits);
  return graph;
}

std::vector<std::vector<char>> happens_before(const TaskGraph& graph) {
  const size_t n = graph.tasks.size();
  std::vector<std::vector<char>> before(n, std::vector<char>(n, 0));
  for (size_t t = 0; t < n; ++t) {
    for (TaskId earlier : graph.tasks[t].after) {
      before[t][earlier.index()] = 1;
      for (size_t i = 0; i < n; ++i) before[t][i] |= before[earlier.index()][i];
    }
  }
  return before;
}

int64_t count(const TaskGraph& graph, Task::Kind kind) {
  return std::ranges::count(graph.tasks, kind, &Task::kind);
}

}  // namespace einsummable
