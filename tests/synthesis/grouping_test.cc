// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "einsummable/synthesis/commodities.h"
#include "einsummable/synthesis/network.h"
#include "einsummable/synthesis/packing.h"
#include "tests/synthesis/preambles.h"
#include "tests/synthesis/topologies.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

double load(const Program& preamble, const Members& members, const Topology& topology) {
  const Commodities read = commodities_of(preamble, members);
  return pack(Network(topology, preamble.sites()), read.commodities, {.slacks = {}})[0].ms;
}

TEST(Grouping, FindsTheBestGroupsOfExample5_3) {
  const Topology v100 = machine("dgx-v100", 8);
  const Program preamble = example_5_3({});
  const Members found = choose_members(preamble, v100, {});
  double least = no_way;
  for (int64_t mask = 0; mask < 256; ++mask) {
    if (std::popcount(static_cast<uint64_t>(mask)) != 4) continue;
    Members members(2);
    for (int64_t s = 0; s < 8; ++s) members[(mask >> s & 1) == 0 ? 0 : 1].emplace_back(s);
    least = std::min(least, load(preamble, members, v100));
  }
  EXPECT_LE(load(preamble, found, v100), 1.001 * least);
  EXPECT_NEAR(least, 10.75, 0.05);
}

TEST(Grouping, LeavesDataWhereItIs) {
  Program preamble;
  preamble.set_sites(6);
  for (int64_t s = 0; s < 6; ++s) preamble.add_open_partition("G" + std::to_string(s), 1);
  for (int64_t s = 0; s < 6; ++s) {
    const AggregateId a = preamble.aggregate(preamble.add_atom({.name = "A" + std::to_string(s)}));
    preamble.give(a, SiteId((s + 2) % 6));
    preamble.require(a, PartitionId(s));
  }
  const Members found = choose_members(preamble, machine("dgx-a100", 8), {});
  for (size_t s = 0; s < 6; ++s)
    EXPECT_EQ(found[s], std::vector<SiteId>{SiteId(static_cast<int64_t>((s + 2) % 6))});
}

TEST(Grouping, KeepsFixedMembersAndSizes) {
  Program preamble;
  preamble.set_sites(8);
  preamble.add_open_partition("A", 3);
  preamble.add_partition("B", {SiteId(1), SiteId(6)});
  preamble.add_open_partition("C", 3);
  const AggregateId a = preamble.aggregate(preamble.add_atom({.name = "a"}));
  preamble.give(a, SiteId(7));
  preamble.require(a, PartitionId(0));
  const Members found =
      choose_members(preamble, machine("dgx-v100", 8), {{}, {SiteId(1), SiteId(6)}, {}});
  EXPECT_EQ(found[0].size(), 3U);
  EXPECT_EQ(found[1], (std::vector<SiteId>{SiteId(1), SiteId(6)}));
  EXPECT_EQ(found[2].size(), 3U);
  EXPECT_TRUE(std::ranges::count(found[0], SiteId(7)) == 1);
  std::set<SiteId> all;
  for (const auto& group : found) all.insert(group.begin(), group.end());
  EXPECT_EQ(all.size(), 8U);
}

}  // namespace
}  // namespace einsummable::synthesis
