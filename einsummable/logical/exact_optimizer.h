// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/logical/choice.h"

namespace einsummable {

// The choice of least cost: exact, by variable elimination, unless a table would exceed the budget
// (entries); then `bound` says how far it may be off.
Choice choose_optimal(const Candidates& candidates, int64_t table_budget);

// For each candidate of `op`, the choice of least cost that has it.
std::vector<Choice> choose_optimal_each(const Candidates& candidates, OpId op,
                                        int64_t table_budget);

}  // namespace einsummable
