// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

// Things of the aggregates of a program (sites, pairs of sites), each once, sorted; each has a
// position among all of them.
template <class Thing>
class ByAggregate {
 public:
  using Entry = std::pair<exchange::AggregateId, Thing>;

  ByAggregate(size_t aggregates, std::span<const Entry> entries) : begin_(aggregates + 1, 0) {
    for (const auto& [aggregate, thing] : entries) ++begin_[aggregate.index() + 1];
    for (size_t i = 0; i < aggregates; ++i) begin_[i + 1] += begin_[i];
    things_.resize(entries.size());
    std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [aggregate, thing] : entries) {
      things_[static_cast<size_t>(next[aggregate.index()]++)] = thing;
    }
    sort_and_drop_repetitions();
  }

  size_t size() const { return things_.size(); }
  std::span<const Thing> of(exchange::AggregateId aggregate) const {
    return {things_.data() + begin_[aggregate.index()],
            things_.data() + begin_[aggregate.index() + 1]};
  }
  // The position of a thing of an aggregate; -1 if it is not there.
  int32_t find(exchange::AggregateId aggregate, const Thing& thing) const {
    const auto things = of(aggregate);
    const auto place = std::ranges::lower_bound(things, thing);
    if (place == things.end() || *place != thing) return -1;
    return begin_[aggregate.index()] + static_cast<int32_t>(place - things.begin());
  }
  bool contains(exchange::AggregateId aggregate, const Thing& thing) const {
    return find(aggregate, thing) >= 0;
  }

 private:
  void sort_and_drop_repetitions() {
    auto kept = things_.begin();
    for (size_t i = 0; i + 1 < begin_.size(); ++i) {
      const auto first = things_.begin() + begin_[i], last = things_.begin() + begin_[i + 1];
      begin_[i] = static_cast<int32_t>(kept - things_.begin());
      if (!std::is_sorted(first, last)) std::sort(first, last);
      kept = std::move(first, std::unique(first, last), kept);
    }
    begin_.back() = static_cast<int32_t>(kept - things_.begin());
    things_.erase(kept, things_.end());
  }

  std::vector<int32_t> begin_;  // of each aggregate among the things, and the end
  std::vector<Thing> things_;
};

// Every aggregate that the step's program gives or that it derives, and where.
ByAggregate<exchange::SiteId> arrivals(const ExchangeStep& step);

}  // namespace einsummable
