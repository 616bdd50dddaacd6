// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/base/small_vector.h"

namespace einsummable {

// How the variables of a min-sum problem are eliminated one by one, that of fewest neighbours first
// (ties: the smaller table, then the lower id), each leaving tables over its neighbours. It follows
// from how many states variables have and which of them share tables; the costs do not count.
struct Elimination {
  using Scope = SmallVector<uint32_t, 4>;  // variables of a table, the last one's states innermost

  // Tables that a variable is minimised in together, which leaves one table over the other
  // variables in them, rising; a constant if there are none.
  struct Group {
    std::vector<uint32_t> tables;
    Scope around;
  };
  struct Step {
    uint32_t variable;
    std::vector<Group> groups;  // several where one would leave more entries than the budget
  };

  std::vector<Scope> scopes;  // of every table: those given, then one left by each group, in order
  std::vector<Step> steps;
  std::vector<uint32_t> kept_tables;  // those left over the variable that is kept
  int width = 0;                      // neighbours that a variable leaves a table over, at most
  int64_t largest_table = 0;          // entries
  bool exact = true;                  // a group a step
};

// Of variables with so many states and tables over these pairs of them. Of `kept`, if it is there,
// all but that one are eliminated.
Elimination plan_elimination(std::span<const int64_t> states,
                             std::span<const std::pair<uint32_t, uint32_t>> pairs, int64_t budget,
                             std::optional<uint32_t> kept, const Interruption& interruption);

}  // namespace einsummable
