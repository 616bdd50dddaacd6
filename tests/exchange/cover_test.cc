// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

using Sets = std::vector<std::vector<int32_t>>;

Cover cover(int32_t elements, const Sets& sets) {
  Budget budget;
  return fewest_cover(elements, sets, budget);
}

TEST(ExchangeCover, TakesTheFewestAndThenTheEarliest) {
  EXPECT_EQ(cover(3, {{0}, {0, 1}, {1, 2}, {2}}).sets, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(cover(3, {{0}, {0, 1, 2}, {1, 2}}).sets, (std::vector<int32_t>{1}));
  EXPECT_EQ(cover(3, {{0, 1}, {1, 2}}).outcome, Cover::Outcome::none);
  EXPECT_EQ(cover(1, {}).outcome, Cover::Outcome::none);
}

TEST(ExchangeCover, AgreesWithTryingAll) {
  std::mt19937_64 random(9);
  for (int round = 0; round < rounds(3'000, 200'000); ++round) {
    const auto elements = static_cast<int32_t>(1 + random() % 8);
    std::set<std::vector<int32_t>> distinct;
    for (uint64_t k = random() % 20; k > 0; --k) {
      std::vector<int32_t> set;
      for (int32_t e = 0; e < elements; ++e) {
        if (random() % 3 == 0) set.push_back(e);
      }
      if (!set.empty()) distinct.insert(set);
    }
    const Sets sets(distinct.begin(), distinct.end());
    std::vector<int32_t> best, chosen;
    bool found = false;
    const std::function<void(uint32_t)> extend = [&](uint32_t open) {
      if (open == 0) {
        if (!found || std::pair(chosen.size(), chosen) < std::pair(best.size(), best))
          best = chosen;
        found = true;
        return;
      }
      for (size_t s = 0; s < sets.size(); ++s) {
        uint32_t mask = 0;
        for (int32_t e : sets[s]) mask |= 1u << e;
        if ((mask & open & (~open + 1)) == 0 || (mask & ~open) != 0) continue;
        chosen.push_back(static_cast<int32_t>(s));
        extend(open & ~mask);
        chosen.pop_back();
      }
    };
    extend((1u << elements) - 1);
    const Cover ours = cover(elements, sets);
    ASSERT_EQ(ours.outcome == Cover::Outcome::found, found);
    ASSERT_EQ(ours.sets, best);
  }
}

Sets all_pairs(int32_t elements) {
  Sets sets;
  for (int32_t a = 0; a < elements; ++a) {
    for (int32_t b = a + 1; b < elements; ++b) sets.push_back({a, b});
  }
  return sets;
}

TEST(ExchangeCover, AllPairsOfAnOddNumberDoNotHang) {
  EXPECT_EQ(cover(17, all_pairs(17)).outcome, Cover::Outcome::none);
  EXPECT_EQ(cover(16, all_pairs(16)).sets.size(), 8u);
  EXPECT_EQ(cover(71, all_pairs(71)).outcome, Cover::Outcome::too_hard);
}

// What the doubling of sums leaves at a site: blocks of 1, 2, 4, ... of many more than 64 copies,
// in an order that hides them.
TEST(ExchangeCover, NestedBlocksOfAThousandAreEasy) {
  std::mt19937_64 random(10);
  std::vector<int32_t> names(1000);
  for (size_t i = 0; i < names.size(); ++i) names[i] = static_cast<int32_t>(i);
  std::shuffle(names.begin(), names.end(), random);
  Sets sets;
  for (size_t width = 1; width <= 128; width *= 2) {
    for (size_t begin = 0; begin < names.size(); begin += width) {
      std::vector<int32_t> set;
      for (size_t i = begin; i < std::min(begin + width, names.size()); ++i)
        set.push_back(names[i]);
      std::sort(set.begin(), set.end());
      sets.push_back(set);
    }
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  EXPECT_EQ(cover(1000, sets).sets.size(), 8u);
}

// A chain of overlapping pairs makes the search go deep; it must not exhaust the stack.
TEST(ExchangeCover, DeepChainsEndInAVerdict) {
  Sets sets;
  for (int32_t e = 0; e + 1 < 20'000; ++e) sets.push_back({e, e + 1});
  EXPECT_NE(cover(20'000, sets).outcome, Cover::Outcome::none);
}

}  // namespace
}  // namespace einsummable::exchange
