// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/index.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/every_spec.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

int64_t random_below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

double work_of(const Index& index, Interval part) {
  return index.work.before(part.hi, index.extent) - index.work.before(part.lo, index.extent);
}

double largest_work(const Index& index, const Cuts& cuts) {
  double largest = 0;
  for (int64_t part = 0; part < count_of(cuts); ++part) {
    largest = std::max(largest, work_of(index, interval_of(cuts, part)));
  }
  return largest;
}

// The smallest largest work of `count` contiguous groups of the ends, over all ways to group them.
double best_by_brute_force(const Index& index, int64_t count) {
  const size_t inner = index.ends.size() - 1;
  double best = std::numeric_limits<double>::infinity();
  for (uint64_t chosen = 0; chosen < uint64_t{1} << inner; ++chosen) {
    Cuts cuts = {0};
    for (size_t i = 0; i < inner; ++i) {
      if (chosen >> i & 1) cuts.push_back(index.ends[i]);
    }
    cuts.push_back(index.extent);
    if (count_of(cuts) == count) best = std::min(best, largest_work(index, cuts));
  }
  return best;
}

Index random_index_with_ends(Random& random, Work::Kind kind) {
  Index index{.name = "s", .cut = Index::Cut::at_ends};
  for (int64_t count = 1 + random_below(random, 9); count > 0; --count) {
    index.extent += 1 + random_below(random, 20);
    index.ends.push_back(index.extent);
  }
  index.work.kind = kind;
  if (kind != Work::Kind::length) index.work.segments = index.ends;
  return index;
}

TEST(NearEqual, CutsAtFloors) {
  EXPECT_EQ(near_equal({.name = "i", .extent = 10}, 4), (Cuts{0, 2, 5, 7, 10}));
  for (int64_t extent = 1; extent <= 40; ++extent) {
    for (int64_t count = 1; count <= extent; ++count) {
      const Index index{.name = "i", .extent = extent};
      const auto cuts = near_equal(index, count);
      ASSERT_TRUE(cuts && is_legal(index, *cuts) && is_balanced(index, *cuts));
      for (int64_t i = 0; i <= count; ++i) {
        EXPECT_EQ((*cuts)[static_cast<size_t>(i)], i * extent / count);
      }
    }
    EXPECT_EQ(near_equal({.name = "i", .extent = extent}, extent + 1), std::nullopt);
  }
}

TEST(NearEqual, OfHugeExtentsDoesNotOverflow) {
  const Index index{.name = "i", .extent = std::numeric_limits<int64_t>::max()};
  const auto cuts = near_equal(index, 3);
  ASSERT_TRUE(cuts && is_legal(index, *cuts));
  for (int64_t part = 0; part < 3; ++part) {
    EXPECT_NEAR(static_cast<double>(interval_of(*cuts, part).length()),
                static_cast<double>(index.extent / 3), 2);
  }
}

TEST(NearEqual, LeavesWholeWhatMayNotBeCut) {
  const Index never{.name = "d", .extent = 5, .cut = Index::Cut::never};
  EXPECT_EQ(near_equal(never, 1), (Cuts{0, 5}));
  EXPECT_EQ(near_equal(never, 2), std::nullopt);
  const Index empty{.name = "i", .extent = 0};
  EXPECT_EQ(near_equal(empty, 1), (Cuts{0, 0}));
  EXPECT_EQ(near_equal(empty, 2), std::nullopt);
  EXPECT_EQ(near_equal(empty, 0), std::nullopt);
}

TEST(NearEqual, GroupsEndsSoThatTheLargestWorkIsSmallest) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const Index index =
        random_index_with_ends(random, random() % 2 ? Work::Kind::length : Work::Kind::segments);
    for (int64_t count = 1; count <= std::ssize(index.ends) + 1; ++count) {
      const auto cuts = near_equal(index, count);
      ASSERT_EQ(cuts.has_value(), count <= std::ssize(index.ends));
      if (!cuts) continue;
      ASSERT_TRUE(is_legal(index, *cuts));
      ASSERT_EQ(count_of(*cuts), count);
      EXPECT_DOUBLE_EQ(largest_work(index, *cuts), best_by_brute_force(index, count));
    }
  }
}

TEST(NearEqual, BalancesCausalRowsAnywhere) {
  const Index index{.name = "q", .extent = 100, .work = {Work::Kind::causal, {}, 0}};
  const auto cuts = near_equal(index, 4);
  ASSERT_TRUE(cuts && is_legal(index, *cuts) && is_balanced(index, *cuts));
  EXPECT_EQ(*cuts, (Cuts{0, 50, 71, 87, 100}));
}

// Work, counted pair by pair.
TEST(Work, BeforeCountsPairs) {
  const std::vector<int64_t> ends = {3, 4, 9};
  for (int64_t position = 0; position <= 9; ++position) {
    double segments = 0, causal = 0, offset = 0;
    for (int64_t row = 0; row < position; ++row) {
      const int64_t start = row < 3 ? 0 : row < 4 ? 3 : 4, end = row < 3 ? 3 : row < 4 ? 4 : 9;
      segments += static_cast<double>(end - start);
      causal += static_cast<double>(row - start + 1);
      offset += static_cast<double>(std::max<int64_t>(row + 1 - 4, 0));
    }
    EXPECT_EQ(Work({Work::Kind::segments, ends}).before(position, 9), segments);
    EXPECT_EQ(Work({Work::Kind::causal, ends}).before(position, 9), causal);
    EXPECT_EQ(Work({Work::Kind::causal, {}, -4}).before(position, 9), offset);
    EXPECT_EQ(Work().before(position, 9), static_cast<double>(position));
  }
}

TEST(Legal, CutsRiseFromZeroToTheExtentAtEnds) {
  const Index any{.name = "i", .extent = 6};
  EXPECT_TRUE(is_legal(any, {0, 1, 6}));
  for (const Cuts& wrong : {Cuts{}, {0}, {0, 5}, {1, 6}, {0, 3, 3, 6}, {0, 4, 2, 6}, {0, 7, 6}}) {
    EXPECT_FALSE(is_legal(any, wrong));
  }
  const Index ends{.name = "s", .extent = 6, .cut = Index::Cut::at_ends, .ends = {2, 5, 6}};
  EXPECT_TRUE(is_legal(ends, {0, 5, 6}));
  EXPECT_FALSE(is_legal(ends, {0, 3, 6}));
  EXPECT_TRUE(is_legal({.name = "i", .extent = 0}, {0, 0}));
  EXPECT_FALSE(is_legal({.name = "i", .extent = 0}, {0, 0, 0}));
}

TEST(Carry, KeepsFractions) {
  const Index columns{.name = "c", .extent = 4096};
  EXPECT_EQ(carry({0, 2, 5, 8}, 8, columns), (Cuts{0, 1024, 2560, 4096}));
  EXPECT_EQ(carry({0, 1000, 4096}, 4096, {.name = "h", .extent = 8}), std::nullopt);
  const Index ends{.name = "s", .extent = 6, .cut = Index::Cut::at_ends, .ends = {2, 6}};
  EXPECT_EQ(carry({0, 1, 3}, 3, ends), (Cuts{0, 2, 6}));
  EXPECT_EQ(carry({0, 2, 3}, 3, ends), std::nullopt);
  EXPECT_EQ(carry({0, 0}, 0, {.name = "i", .extent = 0}), (Cuts{0, 0}));
}

TEST(Carry, ThereAndBackIsTheSame) {
  Random random(2);
  for (int round = 0; round < 1000; ++round) {
    const int64_t factor = 1 + random_below(random, 6);
    const Index small{.name = "i", .extent = 1 + random_below(random, 12)};
    const Index large{.name = "j", .extent = small.extent * factor};
    const auto cuts = random_cuts(small, 1 + random_below(random, small.extent), random);
    const auto carried = carry(*cuts, small.extent, large);
    ASSERT_TRUE(carried.has_value());
    EXPECT_EQ(carry(*carried, large.extent, small), cuts);
  }
}

TEST(Balanced, LetsNoIntervalCarryTooMuch) {
  const Index ends{.name = "s",
                   .extent = 131072,
                   .cut = Index::Cut::at_ends,
                   .ends = {100, 131072},
                   .work = {Work::Kind::segments, {100, 131072}}};
  EXPECT_FALSE(is_balanced(ends, {0, 100, 131072}));
  EXPECT_TRUE(is_balanced(ends, {0, 131072}));
  const Index any{.name = "i", .extent = 9};
  EXPECT_TRUE(is_balanced(any, {0, 3, 9}));   // 6 of 9: 2/3
  EXPECT_FALSE(is_balanced(any, {0, 2, 9}));  // 7 of 9
}

}  // namespace
}  // namespace einsummable
