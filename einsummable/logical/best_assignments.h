// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <queue>

#include "einsummable/logical/min_sum.h"

namespace einsummable {

// The assignments of a min-sum problem one by one, the cheapest first. They are told apart by
// groups of variables: after each, what is left is cut into parts (Lawler), in each of which the
// groups before some group keep their states and that group gets others; the variables of no group
// take their best. With every variable that matters in a group of its own the list is complete, up
// to what costs some sixteen times the first.
class BestAssignments {
 public:
  using Groups = std::vector<std::vector<uint32_t>>;

  BestAssignments(std::vector<std::vector<Cost>> unary, std::vector<PairTable> pairs, Groups groups,
                  int64_t table_budget, const Interruption& interruption = {});

  // The next; none when there are no more.
  std::optional<Assignment> next();

 private:
  struct Forbidden {
    uint32_t variable, state;
  };
  // A part of all assignments, and its cheapest.
  struct Part {
    Assignment best;
    size_t fixed = 0;  // so many groups keep the states of `best`
    std::vector<Forbidden> forbidden;
    size_t number = 0;  // the order in which parts were made
  };
  struct Later {
    bool operator()(const Part& a, const Part& b) const;
  };

  void add(Part part, std::span<const uint32_t> states);
  void expand(const Part& taken);

  std::vector<std::vector<Cost>> unary_;
  std::vector<PairTable> pairs_;
  Groups groups_;
  int64_t budget_;
  Interruption interruption_;
  int64_t too_much_ = 0;  // the cost of a forbidden state, and of what is left out
  std::priority_queue<Part, std::vector<Part>, Later> queue_;
  std::optional<Part> taken_;  // that of the last assignment
  size_t made_ = 0;
};

}  // namespace einsummable
