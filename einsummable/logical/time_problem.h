// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/logical/plan_problem.h"
#include "einsummable/logical/time_model.h"

namespace einsummable {

// More than anything is said to take, but far from overflow when many are added.
inline constexpr int64_t kNever = 2 * TimeModel::longest;

// That of planned_time(): `main` is in nanoseconds, `aggregations` the proxy's elements, which
// decide between equals. An operator's states are its candidates, a tensor that several operators
// read is a variable of its own, whose states are the layouts it may be delivered in.
PlanProblem time_problem(const Candidates& candidates, TimeModel& model);

}  // namespace einsummable
