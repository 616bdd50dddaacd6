// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "einsummable/exchange/cover.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// An aggregate's parts: none if it has none, or the search was too hard.
struct Parts {
  Cover::Outcome outcome = Cover::Outcome::none;
  std::vector<AggregateId> aggregates = {};  // in the order of their least names
};

// Finds what an aggregate can be aggregated from: a set of aggregates that partition it.
class PartsFinder {
 public:
  explicit PartsFinder(const Program& program);

  // From here on the aggregate may be a part.
  void add(AggregateId aggregate);
  // The aggregates added that lie inside this one and are smaller, in no order that matters.
  std::vector<AggregateId> inside(AggregateId aggregate, Budget& budget);
  // The fewest of these aggregates, all smaller ones inside `whole`, that partition it; ties by
  // name.
  Parts choose(AggregateId whole, std::span<const AggregateId> candidates, Budget& budget);

 private:
  bool disjoint(std::span<const AggregateId> candidates);
  void order_by_name(std::vector<AggregateId>& aggregates) const;
  int32_t least_rank(AggregateId aggregate) const;
  // A number that no atom is marked with yet.
  int32_t fresh_mark() { return ++last_mark_; }

  const Program& program_;
  std::vector<int32_t> ranks_;      // of each atom, by name
  std::vector<AggregateId> heads_;  // of each atom: the last added aggregate whose first atom it is
  std::vector<AggregateId> next_;   // of each aggregate: the one added before
  std::vector<int32_t> marks_;      // of each atom
  std::vector<int32_t> places_;     // of each atom: its place in the aggregate at work
  int32_t last_mark_ = 0;
};

}  // namespace einsummable::exchange
