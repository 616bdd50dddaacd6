// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "einsummable/task/task_graph.h"

namespace einsummable {

// What an executor can do: all that lowering knows of it.
struct Traits {
  // Whether a kernel at one site may read another's memory. If so a transfer of a whole block is a
  // hand-over and costs nothing; if not, every transfer is a task that copies.
  enum class Memory : uint8_t { shared, private_sites };
  // Whether transfers take strided operands or need both ends dense.
  enum class Transfers : uint8_t { strided, dense };

  Memory memory = Memory::shared;
  Transfers transfers = Transfers::strided;
  int64_t alignment = 64;  // of buffers, bytes
  // Scratch bytes that a kernel, an aggregate or a finalise asks for.
  std::function<int64_t(const TaskGraph& graph, const Task& task)> workspace = {};
  // Whether one kernel does all steps of a task whose first operator is not elementwise, the others
  // an epilogue on the block that it makes. Without it none does.
  std::function<bool(const TaskGraph& graph, const Task& task)> epilogue = {};
};

}  // namespace einsummable
