// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"

namespace einsummable {

enum class Fusing : uint8_t { on, off };

// The plan lowered, with its memory planned.
TaskGraph lowered(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits,
                  Fusing fusing = Fusing::on);

// Which tasks have ended before each task begins, by the dependencies: the transitive closure.
std::vector<std::vector<char>> happens_before(const TaskGraph& graph);

// How many tasks are of the kind.
int64_t count(const TaskGraph& graph, Task::Kind kind);

}  // namespace einsummable
