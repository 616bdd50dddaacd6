// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/interval.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/tensor/array64.h"

namespace einsummable {
namespace {

std::multiset<std::vector<int64_t>> positions(const std::vector<Box>& boxes) {
  std::multiset<std::vector<int64_t>> out;
  for (const Box& box : boxes) {
    for_each_position(box, [&](std::span<const int64_t> x) { out.emplace(x.begin(), x.end()); });
  }
  return out;
}

Box random_box(std::mt19937& random, size_t rank) {
  Box box(rank);
  for (Interval& axis : box) {
    axis.lo = static_cast<int64_t>(random() % 5);
    axis.hi = axis.lo + static_cast<int64_t>(random() % 4);
  }
  return box;
}

// Against sets of positions: intersection, containment, and what subtraction leaves, each once.
TEST(Box, SetsOfPositionsAgree) {
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    const size_t rank = random() % 4;
    const Box a = random_box(random, rank), b = random_box(random, rank);
    const auto in_a = positions({a}), in_b = positions({b});
    std::multiset<std::vector<int64_t>> both, rest;
    for (const auto& x : in_a) (in_b.contains(x) ? both : rest).insert(x);
    EXPECT_EQ(positions({intersect(a, b)}), both);
    std::vector<Box> left = {a};
    subtract(left, b);
    EXPECT_EQ(positions(left), rest);
    EXPECT_EQ(contains(b, a), rest.empty());
    EXPECT_EQ(meet(a, b), !both.empty());
    EXPECT_EQ(common_elements(a, b), static_cast<int64_t>(both.size()));
    EXPECT_EQ(empty(a), in_a.empty());
    EXPECT_EQ(elements(a), static_cast<int64_t>(in_a.size()));
  }
}

TEST(Box, TextsAndStrides) {
  EXPECT_EQ(text(Box{{0, 128}, {64, 96}}), "[0:128, 64:96]");
  EXPECT_EQ(text(Box{}), "[]");
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(row_major_strides(shape), (std::vector<int64_t>{12, 4, 1}));
  const Box box = {{1, 3}, {5, 8}, {0, 4}};
  EXPECT_EQ(extents_of(box), (PerAxis{2, 3, 4}));
  EXPECT_EQ(row_major_strides(box), (PerAxis{12, 4, 1}));
  EXPECT_EQ(shifted_to({{5, 7}}, {{4, 9}}), (Box{{1, 3}}));
  EXPECT_THROW(elements(Box{{0, int64_t{1} << 40}, {0, int64_t{1} << 40}}), Error);
}

}  // namespace
}  // namespace einsummable
