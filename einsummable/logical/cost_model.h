// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "einsummable/base/error.h"
#include "einsummable/graph/graph.h"
#include "einsummable/logical/cost.h"

namespace einsummable {

// An operator reads what another makes.
struct Edge {
  OpId producer;
  int32_t output = 0;
  OpId consumer;
  int32_t input = 0;
  Box read;  // what the consumer reads of the tensor, over all its cells
};

// What one operator costs by itself, cut in one way, and its share of the objective.
struct OpCost {
  int64_t join = 0, aggregation = 0;  // elements; sub-costs 2 and 3 of Section 4.3
  Cost total;
};

// What a plan costs: the sum of `op` over all operators and of `mismatch` over all edges where the
// producer's tiling, restricted to what is read, is not the one that the consumer reads.
struct CostModel {
  std::function<OpCost(const Operator&, const JoinAggSpec&)> op;
  std::function<Cost(const Edge&)> mismatch;
};

// Throws PlanError: costs of the operator, whose `reason` is an overflow.
[[noreturn]] void refuse_costs(const GraphOp& op, const Error& reason);

// Section 4.3, in elements. Repartition: the elements read, where tilings differ. Join: the sizes
// of all input blocks of all cells. Aggregation: (m - 1) * |block| for every output block of m
// partials. Operators that only move elements cost nothing by themselves.
CostModel communication_proxy();

}  // namespace einsummable
