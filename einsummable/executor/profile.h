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

// One task of a run: what it did, for which operators or tensor, where and when.
struct Span {
  std::string work;  // as in ProfileLine
  std::string name;  // of its operators, or of the tensor whose block it moves or merges
  int64_t site = 0;
  double start = 0, seconds = 0;  // start: after the run began

  bool operator==(const Span&) const = default;
};

// The tasks of a run, in the order of the task graph.
std::vector<Span> spans(const TaskGraph& graph, std::span<const TaskTime> times);

}  // namespace einsummable
