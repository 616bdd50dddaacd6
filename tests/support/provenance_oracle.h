// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "einsummable/task/task_graph.h"

namespace einsummable {

// Runs a task graph in a given order over values that stand for where they came from, in memory
// addressed byte by byte as an executor would: reading what is not there yet, what was overwritten,
// or what was merged twice gives another value. Knows nothing of how graphs are verified. Gives the
// value of every element of every saved tensor; elements that are never fetched are 0.
std::vector<uint64_t> run_symbolically(const TaskGraph& graph, const std::vector<TaskId>& order);

// An order that the dependencies allow: of the tasks that may run next, always the one of the least
// priority. `priority` has one number a task.
std::vector<TaskId> order_by(const TaskGraph& graph, const std::vector<int64_t>& priority);

}  // namespace einsummable
