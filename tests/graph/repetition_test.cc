// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/repetition.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace einsummable {
namespace {

using Kinds = std::vector<int64_t>;

TEST(Repetition, IsFoundBetweenWhatDoesNotRepeat) {
  EXPECT_EQ(find_repetition(Kinds{7, 1, 2, 1, 2, 1, 2, 9}), (Repetition{1, 2, 3}));
  EXPECT_EQ(find_repetition(Kinds{5, 5, 5, 5}), (Repetition{0, 1, 4}));
}

TEST(Repetition, NeedsThreePeriods) {
  EXPECT_EQ(find_repetition(Kinds{}), std::nullopt);
  EXPECT_EQ(find_repetition(Kinds{1, 2, 1, 2, 1}), std::nullopt);
  EXPECT_EQ(find_repetition(Kinds{1, 2, 3}), std::nullopt);
}

// Against every first, period and count tried in turn.
TEST(Repetition, IsTheLongest) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    Kinds kinds;
    const auto length = random() % 20;
    for (size_t i = 0; i < length; ++i) kinds.push_back(static_cast<int64_t>(random() % 2));
    std::optional<Repetition> best;
    for (size_t period = 1; period <= kinds.size(); ++period) {
      for (size_t first = 0; first < kinds.size(); ++first) {
        for (size_t count = 3; first + period * count <= kinds.size(); ++count) {
          bool repeats = true;
          for (size_t i = first; i + period < first + period * count; ++i) {
            repeats = repeats && kinds[i] == kinds[i + period];
          }
          if (repeats && (!best || period * count > best->period * best->count)) {
            best = Repetition{first, period, count};
          }
        }
      }
    }
    EXPECT_EQ(find_repetition(kinds), best);
  }
}

}  // namespace
}  // namespace einsummable
