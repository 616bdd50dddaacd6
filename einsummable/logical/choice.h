// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/logical_plan.h"

namespace einsummable {

// A candidate for every operator: what a selector gives.
struct Choice {
  std::vector<uint32_t> pick;  // by operator, which of its candidates
  Cost cost;
  std::optional<Cost> bound;  // no plan of these candidates costs less; none if unknown
  int width = 0;              // of the elimination that found it, and its largest table
  int64_t largest_table = 0;
};

// What the candidates cost together: operators and edges.
Cost cost_of(const Candidates& candidates, const std::vector<uint32_t>& pick);

// The plan that the choice makes; its selector is left at `optimal`.
LogicalPlan plan_of(const Candidates& candidates, const Choice& choice);

}  // namespace einsummable
