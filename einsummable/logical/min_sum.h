// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/logical/cost.h"
#include "einsummable/logical/elimination.h"

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
// tables. Variables are eliminated one by one (elimination.h). No table gets more than
// `table_budget` entries, or eight times as many if none needs more: where one would, the
// variable's tables are minimised in groups, which gives a lower bound, and the assignment is
// decoded from them and improved one variable at a time.
// Of assignments that cost the same it takes the lowest states, in the order of elimination from
// the last on, so results repeat.
//   two variables, unary {{0, 0}, {3, 1}}, pairs {{0, 5}, {5, 0}}: states {1, 1}, cost 1
//
// It is asked as often as one likes. What an elimination leaves is kept without the least of its
// costs, which are added up apart; so equal parts of a problem, as layers of a model are, and those
// that a question shares with earlier ones, are minimised once.
class MinSum {
 public:
  struct Forced {
    uint32_t variable, state;
  };

  // Refers to what it is given. Throws PlanError if the sum of all costs may not fit in 64 bits.
  MinSum(std::span<const std::vector<Cost>> unary, std::span<const PairTable> pairs,
         int64_t table_budget, const Interruption& interruption = {});

  // Where some variables, each once, may have one state alone.
  Assignment best(std::span<const Forced> forced = {});
  // For each state of `variable`, that with this state forced. One elimination serves all.
  std::vector<Assignment> best_each(uint32_t variable);
  // The bounds of those: what they cost, where the elimination is exact.
  std::vector<Cost> bounds_each(uint32_t variable);

 private:
  using Costs = std::vector<Cost>;
  using Table = std::shared_ptr<const Costs>;

  // What a variable leaves: a table whose least cost is zero, and what each of its costs is more.
  struct Message {
    Table table;
    Cost more;
  };
  class Run;

  struct Hash {
    size_t operator()(const std::vector<int64_t>& key) const;
  };

  Elimination order(std::optional<uint32_t> kept) const;
  Table intern(Costs costs);

  std::span<const Costs> unary_;
  std::span<const PairTable> pairs_;
  int64_t budget_;
  Interruption interruption_;
  std::vector<int64_t> states_;                            // how many, of each variable
  std::vector<std::vector<size_t>> pairs_of_;              // of each variable
  std::optional<Elimination> order_;                       // of all variables
  std::vector<Table> own_;                                 // unary costs; equal ones share a table
  std::unordered_map<size_t, std::vector<Table>> tables_;  // by what they are, and by hash
  // By the tables that a variable was minimised in and how they lie, what it left.
  std::unordered_map<std::vector<int64_t>, std::vector<Message>, Hash> messages_;
};

// That of MinSum, once.
Assignment minimise(std::span<const std::vector<Cost>> unary, std::span<const PairTable> pairs,
                    int64_t table_budget, const Interruption& interruption = {});

}  // namespace einsummable
