// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "einsummable/base/error.h"
#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

using Gain = std::vector<int64_t>;

std::vector<int32_t> sites_of(int64_t cells, int64_t sites, const Gain& gain) {
  std::vector<int32_t> out;
  for (exchange::SiteId s : place(cells, sites, gain)) out.push_back(s.value);
  return out;
}

// The best placement by trying all, the lexicographically least of them.
std::vector<int32_t> by_trying_all(size_t cells, size_t sites, const Gain& gain) {
  std::vector<int32_t> order(sites), best;
  std::iota(order.begin(), order.end(), 0);
  int64_t best_sum = 0;
  do {
    int64_t sum = 0;
    for (size_t c = 0; c < cells; ++c) sum += gain[c * sites + static_cast<size_t>(order[c])];
    const std::vector<int32_t> prefix(order.begin(), order.begin() + static_cast<int64_t>(cells));
    if (best.empty() || sum > best_sum) {
      best = prefix;
      best_sum = sum;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Placement, TakesTheGreatestGain) {
  EXPECT_EQ(sites_of(2, 2, {5, 9, 9, 9}), (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(sites_of(2, 3, {0, 0, 7, 0, 0, 9}), (std::vector<int32_t>{0, 2}));
  EXPECT_TRUE(sites_of(0, 0, {}).empty());
  EXPECT_TRUE(sites_of(0, 3, {}).empty());
}

TEST(Placement, TiesGoToTheLowestSites) {
  EXPECT_EQ(sites_of(3, 4, Gain(12, 0)), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(sites_of(3, 4, Gain(12, 6)), (std::vector<int32_t>{0, 1, 2}));
}

TEST(Placement, AgreesWithTryingAllUpToSevenSites) {
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds(400, 20'000); ++round) {
    const size_t sites = 1 + random() % (round % 10 == 0 ? 7 : 5);
    const size_t cells = 1 + random() % sites;
    const int64_t range = 1 + static_cast<int64_t>(random() % (round % 2 == 0 ? 4 : 1'000'000'000));
    Gain gain(cells * sites);
    for (int64_t& g : gain)
      g = static_cast<int64_t>(random() % static_cast<uint64_t>(range)) - range / 4;
    EXPECT_EQ(sites_of(static_cast<int64_t>(cells), static_cast<int64_t>(sites), gain),
              by_trying_all(cells, sites, gain));
  }
}

TEST(Placement, SeventyTwoSitesTakeMilliseconds) {
  std::mt19937_64 random(2);
  for (uint64_t range : {2u, 1000u, 1'000'000'000u}) {
    Gain gain(72 * 72);
    for (int64_t& g : gain) g = static_cast<int64_t>(random() % range);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(place(72, 72, gain).size(), 72u);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    RecordProperty("ms_" + std::to_string(range), std::to_string(took.count()));
    EXPECT_LT(took.count(), 100) << "gains below " << range;
  }
}

TEST(Placement, AWrongShapeIsABugOfTheCaller) {
  EXPECT_THROW(place(2, 1, std::vector<int64_t>(2, 0)), InternalError);
  EXPECT_THROW(place(1, 1, std::vector<int64_t>(2, 0)), InternalError);
  EXPECT_THROW(place(1, 1, std::vector<int64_t>(1, int64_t{1} << 60)), InternalError);
}

}  // namespace
}  // namespace einsummable::synthesis
