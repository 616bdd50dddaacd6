// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "einsummable/logical/optimise.h"
#include "einsummable/logical/time_model.h"

namespace einsummable {

// What a whole plan is estimated to take (`planned_time`), in ms.
struct PlannedShares {
  double total = 0, more = 0;  // of it, and beyond the best plan
  double exchange = 0, kernel = 0;
};

// One way to cut an operator, and the best whole plan in which it is cut that way.
struct Alternative {
  std::vector<std::pair<std::string, int64_t>> counts;  // by index, those that may be cut
  std::shared_ptr<const JoinAggSpec> spec;              // of the cuts with these counts, the best
  bool chosen = false;
  Cost cost;          // of the whole plan, as the three below
  int64_t delta = 0;  // beyond the best plan, in elements
  int64_t repartition = 0, join = 0, aggregation = 0;
  std::optional<PlannedShares> time = {};  // of plans by time
  std::string lost_by;  // "repartition", "exchange", ...: the share that grew most; empty if none
};

// Why an operator is cut as it is.
struct Explanation {
  std::string op;                         // its name
  std::string reason;                     // why not p cells, or not the usual signature
  std::vector<Alternative> alternatives;  // the best first
};

// Plans the whole graph once for every way to cut the operator, by elements, or by time if there is
// a model of it. A pin of that operator is left aside. What is chosen is what `plan` has: by time
// it need not come first, as of the plans that are estimated to be fast the one is taken that is
// simulated to be fastest. Throws PlanError if there is no operator of that name.
Explanation explain(const Graph& graph, const LogicalPlan& plan, const LogicalOptions& options,
                    std::string_view op, TimeModel* model = nullptr);
// The same of the plan that the options give, by elements.
Explanation explain(const Graph& graph, const LogicalOptions& options, std::string_view op);

// A table: counts, cost, delta, the sub-costs of the whole plan, the term that lost.
std::string text(const Explanation& explanation);

}  // namespace einsummable
