// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/logical/choice.h"

namespace einsummable {

// Each operator's cheapest candidate by itself: the recurrence without the cost of repartition
// (Experiment 3).
Choice choose_greedy(const Candidates& candidates);

// Each operator's candidate drawn uniformly. The same seed gives the same choice.
Choice choose_random(const Candidates& candidates, uint64_t seed);

}  // namespace einsummable
