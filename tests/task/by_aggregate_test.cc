// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/by_aggregate.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace einsummable {
namespace {

using exchange::AggregateId;

TEST(ByAggregate, HoldsWhatAMapOfSetsHolds) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const size_t aggregates = random() % 6;
    std::vector<ByAggregate<SiteId>::Entry> entries;
    std::map<AggregateId, std::set<SiteId>> expected;
    for (size_t i = aggregates == 0 ? 0 : random() % 20; i > 0; --i) {
      const AggregateId aggregate(static_cast<int64_t>(random() % aggregates));
      const SiteId site(static_cast<int64_t>(random() % 5));
      entries.push_back({aggregate, site});
      expected[aggregate].insert(site);
    }
    const ByAggregate<SiteId> got(aggregates, entries);
    std::set<int32_t> positions;
    for (size_t i = 0; i < aggregates; ++i) {
      const AggregateId aggregate(static_cast<int64_t>(i));
      const auto of = got.of(aggregate);
      EXPECT_EQ(std::set<SiteId>(of.begin(), of.end()), expected[aggregate]);
      EXPECT_EQ(of.size(), expected[aggregate].size());
      for (int64_t s = 0; s < 5; ++s) {
        const int32_t position = got.find(aggregate, SiteId(s));
        EXPECT_EQ(position >= 0, expected[aggregate].contains(SiteId(s)));
        if (position < 0) continue;
        EXPECT_TRUE(positions.insert(position).second);
      }
    }
    EXPECT_EQ(positions.size(), got.size());
    for (int32_t position : positions) EXPECT_LT(position, static_cast<int32_t>(got.size()));
  }
}

}  // namespace
}  // namespace einsummable
