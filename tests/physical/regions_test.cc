// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/physical/random_holdings.h"
#include "tests/support/plans.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

bool holds(const Box& box, std::span<const int64_t> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] < box[i].lo || x[i] >= box[i].hi) return false;
  }
  return true;
}

// The sites of the boxes that contain the element.
std::set<SiteId> sites_at(std::span<const Resident> residents, std::span<const int64_t> x) {
  std::set<SiteId> out;
  for (const Resident& resident : residents) {
    if (holds(resident.box, x)) out.insert(resident.site);
  }
  return out;
}

// Which boxes held complete contain the element.
std::vector<size_t> holders(std::span<const Resident> residents, std::span<const int64_t> x) {
  std::vector<size_t> out;
  for (size_t i = 0; i < residents.size(); ++i) {
    if (holds(residents[i].box, x)) out.push_back(i);
  }
  return out;
}

std::set<SiteId> set_of(const std::vector<SiteId>& sites) { return {sites.begin(), sites.end()}; }

// Of the regions, those that contain the element; each box counts.
std::vector<const Region*> regions_at(const std::vector<Region>& regions,
                                      std::span<const int64_t> x) {
  std::vector<const Region*> out;
  for (const Region& region : regions) {
    for (const Box& box : region.boxes) {
      if (holds(box, x)) out.push_back(&region);
    }
  }
  return out;
}

// Whether two boxes agree on all axes but one, along which they follow one another.
bool could_be_one(const Box& a, const Box& b) {
  size_t differing = 0, along = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++differing;
    along = i;
  }
  return differing == 1 && (a[along].hi == b[along].lo || b[along].hi == a[along].lo);
}

void expect_merged(const std::vector<Region>& regions, std::span<const Resident> complete) {
  std::set<std::tuple<int64_t, std::vector<size_t>, std::vector<SiteId>>> seen;
  for (const Region& region : regions) {
    std::vector<int64_t> corner;
    for (Interval axis : region.boxes[0]) corner.push_back(axis.lo);
    EXPECT_TRUE(seen.insert({region.block, holders(complete, corner), region.required}).second)
        << "two regions of one block, the same holders and the same needers";
    EXPECT_TRUE(std::ranges::is_sorted(region.boxes));
    if (region.boxes.size() != 2) continue;
    EXPECT_FALSE(could_be_one(region.boxes[0], region.boxes[1])) << "boxes that make one";
  }
}

TEST(Regions, EveryElementNeededAndNotHeldMovesOnce) {
  Random random(1);
  int64_t moved = 0, partial = 0, several = 0;
  for (int round = 0; round < rounds(3000, 100000); ++round) {
    const int64_t sites = 1 + random_below(random, 8);
    const Produced produced = random_producer(random, sites);
    const Holdings holdings = random_holdings(random, produced, sites);
    std::vector<Resident> needed;
    for (int64_t need = random_below(random, 6); need > 0; --need) {
      needed.push_back(
          {SiteId(random_below(random, sites)), random_box(random, produced.bounds())});
    }
    const std::vector<Region> regions = regions_to_move(produced.tensor, holdings, needed);
    const std::vector<Resident>& complete = holdings.complete(produced.tensor);
    for_each_position(produced.bounds(), [&](std::span<const int64_t> x) {
      const std::set<SiteId> there = sites_at(complete, x);
      std::set<SiteId> lacking = sites_at(needed, x);
      for (SiteId site : there) lacking.erase(site);
      const auto at = regions_at(regions, x);
      ASSERT_EQ(at.size(), lacking.empty() ? 0u : 1u);
      if (at.empty()) return;
      EXPECT_EQ(set_of(at[0]->required), lacking);
      EXPECT_EQ(set_of(at[0]->formed), there);
      EXPECT_EQ(at[0]->tensor, produced.tensor);
      EXPECT_TRUE(
          holds(holdings.blocks(produced.tensor)[static_cast<size_t>(at[0]->block)].box, x));
    });
    expect_merged(regions, complete);
    moved += std::ssize(regions);
    partial += std::ranges::count_if(regions, [](const Region& r) { return r.formed.empty(); });
    several += std::ranges::count_if(regions, [](const Region& r) { return r.boxes.size() > 1; });
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(partial, 0);
  EXPECT_GT(several, 0);
  printf("%lld regions, %lld formed nowhere, %lld of several boxes\n",
         static_cast<long long>(moved), static_cast<long long>(partial),
         static_cast<long long>(several));
}

// A region is where its holders' boxes are, as a whole: lowering reads each box of it from one
// place.
TEST(Regions, LieInsideEachBoxThatHoldsThem) {
  Random random(2);
  for (int round = 0; round < rounds(1000, 30000); ++round) {
    const int64_t sites = 1 + random_below(random, 6);
    const Produced produced = random_producer(random, sites);
    const Holdings holdings = random_holdings(random, produced, sites);
    const std::vector<Resident> needed = {
        {SiteId(random_below(random, sites)), produced.bounds()},
        {SiteId(random_below(random, sites)), random_box(random, produced.bounds())}};
    for (const Region& region : regions_to_move(produced.tensor, holdings, needed)) {
      for (SiteId site : region.formed) {
        for (const Box& box : region.boxes) {
          EXPECT_TRUE(holdings.holds(produced.tensor, site, box)) << text(box);
        }
      }
    }
  }
}

TEST(Regions, AreNoneWhereEveryNeedIsHeld) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Produced produced = random_producer(random, 4);
    Holdings holdings = random_holdings(random, produced, 4);
    const Resident need = {SiteId(2), random_box(random, produced.bounds())};
    holdings.hold(produced.tensor, need);
    EXPECT_TRUE(regions_to_move(produced.tensor, holdings, std::vector{need}).empty());
    EXPECT_TRUE(regions_to_move(produced.tensor, holdings, {}).empty());
  }
}

// The example of the paper (Example 5.4) without partial results.
TEST(Regions, OfRowsCutTwiceAsFine) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {256}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "relu")[0];
  graph.save(y);
  Holdings holdings(graph);
  holdings.produce(OpId(0), cut(*graph.ops()[0].op, {{"i0", 2}}),
                   std::vector{SiteId(0), SiteId(2)});
  std::vector<Resident> needed;
  for (int64_t i = 0; i < 4; ++i) needed.push_back({SiteId(i), {{64 * i, 64 * i + 64}}});
  const std::vector<Region> regions = regions_to_move(y, holdings, needed);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].boxes, std::vector<Box>({{{64, 128}}}));
  EXPECT_EQ(regions[0].formed, std::vector{SiteId(0)});
  EXPECT_EQ(regions[0].required, std::vector{SiteId(1)});
  EXPECT_EQ(regions[1].boxes, std::vector<Box>({{{192, 256}}}));
  EXPECT_EQ(regions[1].required, std::vector{SiteId(3)});
}

}  // namespace
}  // namespace einsummable
