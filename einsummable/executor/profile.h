// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "einsummable/executor/executor.h"
#include "einsummable/task/task_graph.h"

namespace einsummable {

// What all tasks of one kind took in a run.
struct ProfileLine {
  std::string work;        // "matmul", "silu multiply" of a fused run, "transfer", ...
  bool reference = false;  // by the operators' float64 references, for want of a fast kernel
  int64_t tasks = 0;
  double seconds = 0;  // summed over tasks, so over threads

  bool operator==(const ProfileLine&) const = default;
};

// The times of a run by kind of work, the longest first. `times` has one entry a task.
std::vector<ProfileLine> profile(const TaskGraph& graph, std::span<const TaskTime> times);

}  // namespace einsummable
