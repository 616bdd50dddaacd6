// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/tensor/array64.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

int64_t below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

// Cuts of [0, extent) at random places.
std::vector<Interval> random_parts(Random& random, int64_t extent) {
  std::vector<Interval> parts;
  for (int64_t lo = 0; lo < extent;) {
    const int64_t hi = lo + 1 + below(random, extent - lo);
    parts.push_back({lo, hi});
    lo = hi;
  }
  return parts;
}

Tiling random_tiling(Random& random, const Shape& shape) {
  Tiling tiling;
  for (int64_t extent : shape) tiling.axes.push_back(random_parts(random, extent));
  return tiling;
}

std::vector<Box> blocks_of(const Tiling& tiling) {
  std::vector<Box> blocks = {Box{}};
  for (const auto& axis : tiling.axes) {
    std::vector<Box> longer;
    for (const Box& block : blocks) {
      for (Interval interval : axis) longer.emplace_back(block).push_back(interval);
    }
    blocks = std::move(longer);
  }
  return blocks;
}

TEST(Interval, IntersectionIsWhatLiesInBoth) {
  for (int64_t a = 0; a < 5; ++a) {
    for (int64_t b = a; b < 5; ++b) {
      for (int64_t c = 0; c < 5; ++c) {
        for (int64_t d = c; d < 5; ++d) {
          const Interval both = intersect(Interval{a, b}, Interval{c, d});
          EXPECT_TRUE(a <= both.lo && both.lo <= both.hi && both.hi <= b);
          for (int64_t x = 0; x < 5; ++x) {
            const bool in_both = a <= x && x < b && c <= x && x < d;
            EXPECT_EQ(both.lo <= x && x < both.hi, in_both);
          }
        }
      }
    }
  }
}

TEST(Box, CountsAndPrints) {
  const Box box = {{2, 5}, {0, 4}};
  EXPECT_EQ(elements(box), 12);
  EXPECT_EQ(text(box), "[2:5, 0:4]");
  EXPECT_EQ(shape_of(box), (Shape{3, 4}));
  EXPECT_EQ(elements(Box{}), 1);
  EXPECT_FALSE(empty(Box{}));
  EXPECT_TRUE(contains(box, Box{{9, 9}, {0, 1}}));
  EXPECT_FALSE(contains(box, Box{{2, 6}, {0, 1}}));
  EXPECT_EQ(shifted_to(Box{{3, 4}, {1, 2}}, box), (Box{{1, 2}, {1, 2}}));
  EXPECT_EQ(row_major_strides(Shape{2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_THROW(elements(Shape{int64_t{1} << 40, int64_t{1} << 40}), Error);
}

TEST(Tiling, TilesIffEveryElementLiesInOneBlock) {
  Random random(1);
  int64_t tiling_ones = 0;
  for (int round = 0; round < 3000; ++round) {
    const Shape shape = {below(random, 4), 1 + below(random, 5)};
    Tiling tiling = random_tiling(random, shape);
    if (random() % 2 && !tiling.axes[1].empty()) {  // spoil it, or not
      Interval& spoilt = tiling.axes[1][random() % tiling.axes[1].size()];
      spoilt.hi = std::min(shape[1], spoilt.lo + 1 + below(random, 3));
      if (random() % 4 == 0) tiling.axes[1].pop_back();
      std::ranges::sort(tiling.axes[1]);
    }
    Array64 covered(box_of(shape));
    for (const Box& block : blocks_of(tiling)) {
      for_each_position(block, [&](auto at) { covered.at(at) += 1; });
    }
    const bool once =
        std::ranges::all_of(covered.values(), [](double times) { return times == 1; });
    if (elements(shape) > 0) {
      EXPECT_EQ(tiles(tiling, box_of(shape)), once) << text(tiling);
      tiling_ones += once;
    }
  }
  EXPECT_GT(tiling_ones, 300);
}

TEST(Overlay, IsTheCoarsestOfWhichAllBlocksAreUnions) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const Shape shape = {1 + below(random, 9), 1 + below(random, 6)};
    const Tiling a = random_tiling(random, shape), b = random_tiling(random, shape);
    const Tiling both = overlay(a, b);
    ASSERT_TRUE(tiles(both, box_of(shape)));
    std::set<Box> meets;
    for (const Box& x : blocks_of(a)) {
      for (const Box& y : blocks_of(b)) {
        const Box meet = intersect(x, y);
        if (!empty(meet)) meets.insert(meet);
      }
    }
    const auto blocks = blocks_of(both);
    EXPECT_EQ(std::set<Box>(blocks.begin(), blocks.end()), meets);
  }
  EXPECT_EQ(text(overlay({.axes = {{{0, 128}, {128, 256}}}},
                         {.axes = {{{0, 64}, {64, 128}, {128, 192}, {192, 256}}}})),
            "{0:64, 64:128, 128:192, 192:256}");
}

TEST(RestrictTo, IsWhatAReaderOfABoxSees) {
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    const Shape shape = {1 + below(random, 9), 1 + below(random, 6)};
    const Tiling tiling = random_tiling(random, shape);
    Box read;
    for (int64_t extent : shape) {
      const int64_t lo = below(random, extent);
      read.push_back({lo, lo + 1 + below(random, extent - lo)});
    }
    const Tiling seen = restrict_to(tiling, read);
    EXPECT_TRUE(tiles(seen, read));
    for (const Box& block : blocks_of(seen)) {
      EXPECT_TRUE(std::ranges::any_of(
          blocks_of(tiling), [&](const Box& whole) { return intersect(whole, read) == block; }));
    }
  }
}

TEST(TilingTable, GivesEqualTilingsEqualIds) {
  TilingTable table;
  Random random(4);
  std::vector<std::pair<Tiling, TilingId>> seen;
  for (int round = 0; round < 300; ++round) {
    const Tiling tiling = random_tiling(random, {1 + below(random, 4), 1 + below(random, 3)});
    const TilingId id = table.intern(tiling);
    EXPECT_EQ(table[id], tiling);
    for (const auto& [other, other_id] : seen) EXPECT_EQ(id == other_id, tiling == other);
    seen.emplace_back(tiling, id);
  }
  const TilingId diagonal = table.intern({.axes = {{{0, 1}}}, .product = false});
  EXPECT_FALSE(matches(diagonal, diagonal));
  EXPECT_FALSE(matches(kUnmatched, kUnmatched));
  EXPECT_EQ(text(whole(box_of(Shape{3, 0}))), "{0:3} {}");
}

TEST(Array64, ProjectsAndAssignsInWholeCoordinates) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = {1 + below(random, 5), 1 + below(random, 4), 1 + below(random, 3)};
    Array64 x(box_of(shape));
    for (double& value : x.values()) value = static_cast<double>(random() % 100);
    Array64 copy(box_of(shape));
    for (const Box& block : blocks_of(random_tiling(random, shape))) {
      const Array64 part = x.project(block);
      for_each_position(block, [&](auto at) { EXPECT_EQ(part.at(at), x.at(at)); });
      copy.assign(part);
    }
    EXPECT_EQ(copy.values(), x.values());
  }
  const Array64 scalar(Box{}, 7);
  EXPECT_EQ(scalar.at(std::initializer_list<int64_t>{}), 7);
  EXPECT_THROW(Array64({{2, 4}}).at({1}), InternalError);
  EXPECT_THROW(Array64({{2, 4}}).at({2, 0}), InternalError);
  EXPECT_THROW(Array64({{2, 4}}).project({{0, 3}}), InternalError);
}

}  // namespace
}  // namespace einsummable
