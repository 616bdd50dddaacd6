// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/logical/choice.h"
#include "einsummable/logical/time_model.h"

namespace einsummable {

// Plans of least planned_time() over the candidates, the best first, all different, at most
// `how_many`; their costs' `main` is in nanoseconds, `aggregations` the proxy's elements, which
// decide between equals. The first is the best (its bound says how far it may be from that), found
// by the same elimination as the proxy's: an operator's states are its candidates, a tensor that
// several operators read is a variable of its own, whose states are the layouts it may be delivered
// in. The others are the best plans in which all operators of one kind are cut in one other way.
std::vector<Choice> choose_fastest(const Candidates& candidates, TimeModel& model,
                                   int64_t table_budget, size_t how_many);

// For each candidate of the operator, the best plan in which it is cut so.
std::vector<Choice> choose_fastest_each(const Candidates& candidates, TimeModel& model, OpId op,
                                        int64_t table_budget);

}  // namespace einsummable
