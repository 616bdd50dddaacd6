// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "einsummable/logical/optimise.h"

namespace einsummable {

// One way to cut an operator, and the best whole plan in which it is cut that way.
struct Alternative {
  std::vector<std::pair<std::string, int64_t>> counts;  // by index, those that may be cut
  std::shared_ptr<const JoinAggSpec> spec;              // of the cuts with these counts, the best
  bool chosen = false;
  Cost cost;          // of the whole plan, as the three below
  int64_t delta = 0;  // beyond the best plan, in elements
  int64_t repartition = 0, join = 0, aggregation = 0;
  std::string lost_by;  // "repartition", ...: the sub-cost that grew most; empty if none did
};

// Why an operator is cut as it is.
struct Explanation {
  std::string op;                         // its name
  std::string reason;                     // why not p cells, or not the usual signature
  std::vector<Alternative> alternatives;  // the best first
};

// Plans the whole graph once for every way to cut the operator. A pin of that operator is left
// aside. What is chosen is what `plan` has, which may be one of another objective. Throws PlanError
// if there is no operator of that name.
Explanation explain(const Graph& graph, const LogicalPlan& plan, const LogicalOptions& options,
                    std::string_view op);
// The same of the plan that the options give.
Explanation explain(const Graph& graph, const LogicalOptions& options, std::string_view op);

// A table: counts, cost, delta, the three sub-costs of the whole plan, the term that lost.
std::string text(const Explanation& explanation);

}  // namespace einsummable
