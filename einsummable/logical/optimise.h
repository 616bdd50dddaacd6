// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/logical_plan.h"

namespace einsummable {

struct LogicalOptions {
  int64_t p = 1;  // processors, 1 to kMaximalProcessors
  Selector selector = Selector::optimal;
  uint64_t seed = 0;  // of `random`
  Pins pins = {};
  int64_t table_budget = 10'000;  // entries a table of the optimal selector may have
  Interruption interruption = {};
};

// Chooses a join-agg spec for every operator. Deterministic. Throws PlanError for a p out of range,
// for pins that cannot be met (listing the legal counts), for costs beyond 64 bits.
LogicalPlan optimise(const Graph& graph, const LogicalOptions& options);

}  // namespace einsummable
