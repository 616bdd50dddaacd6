// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/small_vector.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace einsummable {
namespace {

using Small = SmallVector<int, 3>;

// Does one random thing to both of a pair of vectors of each kind.
void change(std::mt19937& random, Small (&small)[2], std::vector<int> (&plain)[2]) {
  const size_t k = random() % 2, other = 1 - k, n = plain[k].size();
  const int value = static_cast<int>(random() % 100);
  const auto at = static_cast<std::ptrdiff_t>(random() % (n + 1));
  const auto both = [&](const auto& apply) {
    apply(small[k], small[other]);
    apply(plain[k], plain[other]);
  };
  switch (random() % 9) {
    case 0:
      return both([&](auto& v, auto&) { v.push_back(value); });
    case 1:
      return both([&](auto& v, auto&) { v.insert(v.begin() + at, value); });
    case 2:
      return both([&](auto& v, auto& w) { v.insert(v.begin() + at, w.begin(), w.end()); });
    case 3:
      return both([&](auto& v, auto&) { v.resize(n / 2 + 2, value); });
    case 4:
      return both([&](auto& v, auto& w) { v = w; });
    case 5:
      return both([&](auto& v, auto& w) {
        v = std::move(w);
        w.clear();
      });
    case 6:
      return both([&](auto& v, auto&) { v.assign(4, value); });
    case 7:
      return both([&](auto& v, auto&) {
        if (n > 0) v.erase(v.begin() + at % static_cast<std::ptrdiff_t>(n));
      });
    default:
      return both([&](auto& v, auto&) {
        if (n > 0) v.pop_back();
      });
  }
}

TEST(SmallVector, DoesWhatAVectorDoes) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Small small[2];
    std::vector<int> plain[2];
    for (int step = 0; step < 60; ++step) {
      change(random, small, plain);
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
