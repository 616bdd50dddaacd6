// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/small_vector.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace einsummable {
namespace {

using Small = SmallVector<int, 3>;

// Random operations on a pair of vectors give the same as on a pair of std::vectors.
TEST(SmallVector, DoesWhatAVectorDoes) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Small small[2];
    std::vector<int> plain[2];
    for (int step = 0; step < 60; ++step) {
      const size_t k = random() % 2, other = 1 - k, n = plain[k].size();
      const int value = static_cast<int>(random() % 100);
      const auto at = static_cast<std::ptrdiff_t>(random() % (n + 1));
      switch (random() % 10) {
        case 0:
          small[k].push_back(value);
          plain[k].push_back(value);
          break;
        case 1:
          small[k].insert(small[k].begin() + at, value);
          plain[k].insert(plain[k].begin() + at, value);
          break;
        case 2:
          small[k].insert(small[k].begin() + at, plain[other].begin(), plain[other].end());
          plain[k].insert(plain[k].begin() + at, plain[other].begin(), plain[other].end());
          break;
        case 3:
          small[k].resize(n / 2 + 2, value);
          plain[k].resize(n / 2 + 2, value);
          break;
        case 4:
          small[k] = small[other];
          plain[k] = plain[other];
          break;
        case 5:
          small[k] = std::move(small[other]);
          plain[k] = std::move(plain[other]);
          small[other].clear();
          plain[other].clear();
          break;
        case 6:
          small[k].assign(4, value);
          plain[k].assign(4, value);
          break;
        case 7:
          if (n > 0) {
            small[k].erase(small[k].begin() + at % static_cast<std::ptrdiff_t>(n));
            plain[k].erase(plain[k].begin() + at % static_cast<std::ptrdiff_t>(n));
          }
          break;
        case 8:
          if (n > 0) {
            small[k].pop_back();
            plain[k].pop_back();
          }
          break;
        default:
          small[k] = Small(plain[k].begin(), plain[k].end());
      }
      for (size_t i : {0, 1}) {
        ASSERT_EQ(std::vector<int>(small[i].begin(), small[i].end()), plain[i]);
      }
      ASSERT_EQ(small[0] == small[1], plain[0] == plain[1]);
      ASSERT_EQ(small[0] < small[1], plain[0] < plain[1]);
    }
  }
}

TEST(SmallVector, PushesAnElementOfItself) {
  Small small = {1, 2, 3};
  for (int i = 0; i < 10; ++i) small.push_back(small[0]);
  EXPECT_EQ(small.size(), 13u);
  EXPECT_EQ(small.back(), 1);
}

}  // namespace
}  // namespace einsummable
