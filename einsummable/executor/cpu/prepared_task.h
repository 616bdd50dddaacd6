// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "einsummable/executor/cpu/arenas.h"
#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/task/traits.h"

namespace einsummable::cpu {

// A task bound to its memory. Running it allocates nothing if its kernel is fast.
struct PreparedTask {
  PreparedKernel::Kind kind = PreparedKernel::Kind::fast;
  std::function<void()> run;
  // As that of its kernel, for the task's reads; empty if there is none.
  std::function<bool(size_t read, std::byte* data, std::span<const int64_t> strides)> move_read =
      {};
};

PreparedTask prepare_task(const TaskGraph& graph, const Task& task, const Arenas& arenas);

// Scratch bytes of a task that computes: what Traits::workspace answers.
int64_t task_workspace(const TaskGraph& graph, const Task& task);

}  // namespace einsummable::cpu
