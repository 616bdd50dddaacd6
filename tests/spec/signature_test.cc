// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/signature.h"

#include <gtest/gtest.h>

#include <random>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

int64_t random_below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

Signature parsed(std::string_view notation, const std::vector<Shape>& in,
                 const std::vector<Shape>& out) {
  return parse_notation(notation, in, out);
}

TEST(Notation, GivesIndicesTheirExtents) {
  const Signature s = parsed("b i j, b j k -> b i k", {{2, 3, 4}, {2, 4, 5}}, {{2, 3, 5}});
  ASSERT_EQ(s.indices.size(), 4u);
  EXPECT_EQ(s.indices[static_cast<size_t>(find_index(s, "j"))].extent, 4);
  EXPECT_EQ(find_index(s, "x"), -1);
  EXPECT_EQ(text(s), "b i j, b j k -> b i k");
}

TEST(Notation, KnowsFactorsStarsOnesAndEllipses) {
  const Signature grouped =
      parsed("4h s d*, h s d*, h s d* -> 4h s d*", {{8, 6, 5}, {2, 6, 5}, {2, 6, 5}}, {{8, 6, 5}});
  EXPECT_EQ(grouped.indices[0].extent, 2);
  EXPECT_EQ(grouped.indices[2].cut, Index::Cut::never);
  const std::vector<Interval> cell = {{1, 2}, {0, 3}, {0, 5}};
  EXPECT_EQ(grouped.inputs[0](cell), (Box{{4, 8}, {0, 3}, {0, 5}}));
  EXPECT_EQ(grouped.inputs[1](cell), (Box{{1, 2}, {0, 3}, {0, 5}}));
  const Signature any = parsed("... i, 1 i -> ... i", {{2, 3, 4}, {1, 4}}, {{2, 3, 4}});
  EXPECT_EQ(text(any), "batch0 batch1 i, 1 i -> batch0 batch1 i");
  EXPECT_EQ(text(parsed("... i -> ... i", {{4}}, {{4}})), "i -> i");
}

TEST(Notation, CutsAnInnerIndexWithinUnitsOfTheOuter) {
  const Signature s = parsed("t (h k) -> t h k", {{3, 8}}, {{3, 2, 4}});
  EXPECT_EQ(text(s), "t (h k) -> t h k");
  EXPECT_EQ(s.indices[static_cast<size_t>(find_index(s, "k"))].within, find_index(s, "h"));
  const std::vector<Interval> cell = {{0, 3}, {1, 2}, {2, 4}};
  EXPECT_EQ(s.inputs[0](cell), (Box{{0, 3}, {6, 8}}));
}

TEST(Notation, ThatDoesNotFitIsOurMistake) {
  EXPECT_THROW(parsed("i j -> i", {{2}}, {{2}}), InternalError);
  EXPECT_THROW(parsed("i, i -> i", {{2}, {3}}, {{2}}), InternalError);
  EXPECT_THROW(parsed("i -> i", {{2}, {2}}, {{2}}), InternalError);
  EXPECT_THROW(parsed("4h -> 4h", {{6}}, {{6}}), InternalError);
  EXPECT_THROW(parsed("(h k) -> k", {{8}}, {{3}}), InternalError);
  EXPECT_THROW(parsed("i ? -> i", {{2, 2}}, {{2}}), InternalError);
}

// The positions an axis map should touch, one by one: an interval around all of them.
Interval enumerated(const AxisMap& map, const std::vector<Interval>& cell) {
  std::vector<int64_t> sums = {map.shift};
  for (const Term& term : map.terms) {
    std::vector<int64_t> next;
    const Interval x = cell[static_cast<size_t>(term.index)];
    for (int64_t sum : sums) {
      for (int64_t i = x.lo; i < x.hi; ++i) next.push_back(sum + term.factor * i);
    }
    sums = std::move(next);
  }
  Interval out{map.extent, 0};
  for (int64_t sum : sums) {
    for (int64_t at = std::max<int64_t>(sum, 0); at < std::min(sum + map.width, map.extent); ++at) {
      out = {std::min(out.lo, at), std::max(out.hi, at + 1)};
    }
  }
  return out;
}

TEST(AxisMap, TouchesWhatEnumerationDoes) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<Interval> cell;
    AxisMap map{.shift = random_below(random, 21) - 10,
                .width = 1 + random_below(random, 5),
                .extent = random_below(random, 20)};
    for (int32_t i = 0; i < 1 + random_below(random, 2); ++i) {
      const int64_t lo = random_below(random, 5);
      cell.push_back({lo, lo + random_below(random, 4)});
      map.terms.push_back({i, random_below(random, 9) - 4});
    }
    const Interval expected = enumerated(map, cell), found = map(cell);
    if (expected.empty()) {
      // A gap between touched positions may lie in the axis; nothing else may.
      const bool gap = !found.empty() && map.terms.size() > 0;
      EXPECT_TRUE(found.empty() || gap);
      EXPECT_TRUE(0 <= found.lo && found.lo <= found.hi && found.hi <= map.extent);
    } else {
      EXPECT_TRUE(found.contains(expected));
      EXPECT_TRUE(0 <= found.lo && found.hi <= map.extent);
    }
  }
}

// Where the touched positions have no gaps, nothing more is touched.
TEST(AxisMap, IsExactWithoutGaps) {
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    const int64_t factor = 1 + random_below(random, 4), sign = random() % 2 ? 1 : -1;
    AxisMap map{.terms = {{0, sign * factor}},
                .shift = random_below(random, 21) - 10,
                .width = factor + random_below(random, 3),
                .extent = random_below(random, 20)};
    const int64_t lo = random_below(random, 5);
    const std::vector<Interval> cell = {{lo, lo + random_below(random, 4)}};
    const Interval expected = enumerated(map, cell), found = map(cell);
    if (expected.empty()) {
      EXPECT_TRUE(found.empty());
    } else {
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(AxisMap, ReadsAHalo) {
  const AxisMap halo{.terms = {{0}}, .shift = -2, .width = 5, .extent = 10};
  EXPECT_EQ(halo(std::vector<Interval>{{0, 5}}), (Interval{0, 7}));
  EXPECT_EQ(halo(std::vector<Interval>{{5, 10}}), (Interval{3, 10}));
}

TEST(AxisMap, WidensToFloorsAndCeilings) {
  const AxisMap map{.terms = {{0}}, .extent = 10, .floor_at = {0, 3, 7}, .ceiling_at = {3, 7, 10}};
  EXPECT_EQ(map(std::vector<Interval>{{4, 6}}), (Interval{3, 7}));
  EXPECT_EQ(map(std::vector<Interval>{{2, 8}}), (Interval{0, 10}));
  EXPECT_EQ(map(std::vector<Interval>{{3, 7}}), (Interval{3, 7}));
  EXPECT_TRUE(map(std::vector<Interval>{{4, 4}}).empty());
}

TEST(AxisMap, CountsListedPositions) {
  const AxisMap map{.terms = {{0}}, .extent = 3, .counting = std::vector<int64_t>{1, 4, 7}};
  EXPECT_EQ(map(std::vector<Interval>{{0, 7}}), (Interval{0, 3}));
  EXPECT_EQ(map(std::vector<Interval>{{1, 4}}), (Interval{1, 2}));
  EXPECT_EQ(map(std::vector<Interval>{{4, 7}}), (Interval{2, 3}));
  const AxisMap none{.terms = {{0}}, .extent = 0, .counting = std::vector<int64_t>{}};
  EXPECT_EQ(none(std::vector<Interval>{{0, 0}}), (Interval{0, 0}));
}

}  // namespace
}  // namespace einsummable
