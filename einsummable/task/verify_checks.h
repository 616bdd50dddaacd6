// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/task/accesses.h"
#include "einsummable/task/verify.h"

namespace einsummable {

// The checks of verify.h, one function each. Each counts what it looks at and stops at the first
// failure, which it describes in `detail`. `check_memory` comes first: the others rely on operands
// that lie in their buffers and tasks that wait only for tasks before them; provenance on writes
// that share no elements, which single assignment proves.
void check_tiling(const PhysicalPlan& plan, Check& check, const Interruption& interruption);
void check_closure(const PhysicalPlan& plan, Check& check, const Interruption& interruption);
void check_memory(const TaskGraph& graph, const Traits& traits, Check& check,
                  const Interruption& interruption);
void check_single_assignment(const TaskGraph& graph, const Accesses& accesses, Check& check,
                             const Interruption& interruption);
void check_races(const TaskGraph& graph, const Accesses& accesses, Check& check,
                 const Interruption& interruption);
void check_provenance(const TaskGraph& graph, Check& check, const Interruption& interruption);

// "task 12 (kernel \"up\" at site 2)", for details.
std::string describe(const TaskGraph& graph, TaskId task);

}  // namespace einsummable
