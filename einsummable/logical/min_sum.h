// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/logical/cost.h"

namespace einsummable {

// A cost for every pair of states of two different variables: that of (s, t) at s * states(b) + t.
// Equal tables may share their storage.
struct PairTable {
  uint32_t a = 0, b = 0;
  std::shared_ptr<const std::vector<Cost>> cost;
};

// A state for every variable, what they cost together, and a bound that no assignment beats.
struct Assignment {
  std::vector<uint32_t> state;
  Cost cost, bound;
  int width = 0;              // neighbours of a variable when it was eliminated, at most
  int64_t largest_table = 0;  // entries
  bool exact() const { return cost == bound; }
};

// The assignment of least total cost: of `unary[v][state]` over all variables and of all pair
// tables. Variables are eliminated one by one, that of fewest neighbours first (ties: the smaller
// table, then the lower id), each leaving a table over its neighbours. No table gets more than
// `table_budget` entries: where one would, the variable's tables are minimised in groups, which
// gives a lower bound, and the assignment is decoded from them and improved one variable at a time.
// Of assignments that cost the same it takes the lowest states, in the order of elimination from
// the last on, so results repeat.
//   two variables, unary {{0, 0}, {3, 1}}, pairs {{0, 5}, {5, 0}}: states {1, 1}, cost 1
// Throws PlanError if the sum of all costs may not fit in 64 bits.
Assignment minimise(std::span<const std::vector<Cost>> unary, std::span<const PairTable> pairs,
                    int64_t table_budget, const Interruption& interruption = {});

// For each state of `variable`, the same with that state forced. One elimination serves all.
std::vector<Assignment> minimise_each(std::span<const std::vector<Cost>> unary,
                                      std::span<const PairTable> pairs, int64_t table_budget,
                                      uint32_t variable, const Interruption& interruption = {});

}  // namespace einsummable
