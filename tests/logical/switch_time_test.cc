// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/switch_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "einsummable/logical/exchange_time.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

constexpr int64_t kSites = 12, kExtent = 60;

int64_t draw(Random& random, int64_t below) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
}

// Intervals that follow one another; where they may overlap, at times prefixes or with halos.
std::vector<Interval> random_intervals(Random& random, int64_t count, bool overlap) {
  std::vector<Interval> out;
  const int64_t kind = overlap ? draw(random, 4) : 0;
  for (int64_t i = 0; i < count; ++i) {
    Interval each{kExtent * i / count, kExtent * (i + 1) / count};
    if (kind == 1) each.lo = 0;
    if (kind == 2) each = {std::max<int64_t>(0, each.lo - 2), std::min(kExtent, each.hi + 2)};
    if (kind == 3) each = {each.lo / 2, each.hi / 2};  // of half of the axis
    out.push_back(each);
  }
  return out;
}

// The blocks of a grid of up to kSites cells, with cells that share a block, in an order of their
// own.
Layout random_layout(Random& random, bool overlap) {
  constexpr int64_t counts[] = {1, 1, 2, 3, 4, 6, 12};
  int64_t rows = counts[random() % 7], columns = counts[random() % 7];
  while (rows * columns > kSites) rows = counts[random() % 7], columns = counts[random() % 7];
  const int64_t copies = 1 + draw(random, kSites / (rows * columns));
  const auto along = random_intervals(random, rows, overlap);
  const auto across = random_intervals(random, columns, overlap);
  std::vector<int32_t> sites;
  for (int32_t s = 0; s < kSites; ++s) sites.push_back(s);
  if (random() % 2 == 0) std::ranges::shuffle(sites, random);
  Layout out;
  const bool some = random() % 4 == 0;  // of the combinations
  for (Interval row : along) {
    for (Interval column : across) {
      if (some && !out.blocks.empty() && random() % 3 == 0) continue;
      Layout::Block block{Box{row, column}, {}};
      for (int64_t c = 0; c < copies; ++c) {
        block.sites.push_back(sites.back());
        sites.pop_back();
        if (some && random() % 2 == 0) break;
      }
      std::ranges::sort(block.sites);
      out.blocks.push_back(std::move(block));
    }
  }
  return out;
}

Topology random_switch(Random& random) {
  Topology topology = switched(kSites, 100);
  for (Resource& resource : topology.resources)
    resource.gbps = 50 + static_cast<double>(random() % 4);
  topology.handover = random() % 8 == 0;
  return topology;
}

TEST(SwitchTime, EqualsTheGeneralWay) {
  Random random(1);
  int asked = 0;
  for (int round = 0; round < rounds(3000, 30000); ++round) {
    const ExchangeTime general(random_switch(random));
    std::optional<SwitchTime> time = general.as_switch();
    ASSERT_TRUE(time);
    AxisTable axes;
    Layout from = random_layout(random, false);
    from.partial = random() % 2 == 0 && std::ranges::all_of(from.blocks, [](const auto& block) {
                     return block.sites.size() > 1;
                   });
    const Layout to = random() % 8 == 0 ? from : random_layout(random, true);
    const auto from_grid = axes.grid_of(from), to_grid = axes.grid_of(to);
    ASSERT_TRUE(from_grid && to_grid && from_grid->disjoint);
    const ElementBytes bytes{4, random() % 2 == 0 ? 2.0 : 4.0};
    const double expected = general.seconds(from, to, bytes);
    EXPECT_NEAR(time->seconds(*from_grid, *to_grid, axes, bytes), expected, 1e-9 * expected);
    asked += expected > 0;
  }
  EXPECT_GT(asked, 0);
}

TEST(SwitchTime, IsNotForSitesOfSeveralBlocks) {
  AxisTable axes;
  EXPECT_TRUE(axes.grid_of({.blocks = {{Box{{0, 2}}, {0}}, {Box{{2, 4}}, {1}}}}));
  EXPECT_FALSE(axes.grid_of({.blocks = {{Box{{0, 2}}, {0}}, {Box{{2, 4}}, {0}}}}));
  EXPECT_FALSE(axes.grid_of({}));
}

}  // namespace
}  // namespace einsummable
