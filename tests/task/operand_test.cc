// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/operand.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace einsummable {
namespace {

using Random = std::mt19937_64;

int64_t below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

Box random_box(Random& random, const Box& within) {
  Box box = within;
  for (Interval& axis : box) {
    const int64_t a = axis.lo + below(random, axis.length());
    axis = {a, a + 1 + below(random, axis.hi - a)};
  }
  return box;
}

Buffer random_buffer(Random& random) {
  Buffer buffer;
  for (int64_t rank = below(random, 4); rank > 0; --rank) {
    const int64_t lo = below(random, 5);
    buffer.box.push_back({lo, lo + 1 + below(random, 6)});
  }
  return buffer;
}

// The offsets of all elements of an operand, in row-major order.
std::vector<int64_t> offsets(const Operand& operand) {
  std::vector<int64_t> out;
  for_each_position(box_of(operand.shape), [&](std::span<const int64_t> x) {
    int64_t offset = operand.offset;
    for (size_t i = 0; i < x.size(); ++i) offset += x[i] * operand.strides[i];
    out.push_back(offset);
  });
  return out;
}

// The offsets of the elements of a region of the buffer.
std::set<int64_t> offsets(const Buffer& buffer, const Box& region) {
  const std::vector<int64_t> strides = row_major_strides(shape_of(buffer.box));
  std::set<int64_t> out;
  for_each_position(region, [&](std::span<const int64_t> x) {
    int64_t offset = 0;
    for (size_t i = 0; i < x.size(); ++i) offset += x[i] * strides[i];
    out.insert(offset);
  });
  return out;
}

TEST(Operand, PartsOfPartsAreTheElementsOfTheBox) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const Buffer buffer = random_buffer(random);
    const Box outer = random_box(random, buffer.box), inner = random_box(random, outer);
    const Located whole{outer, part_operand(BufferId(0), buffer, outer)};
    const Located part = part_of(whole, inner, buffer);
    const Operand direct = part_operand(BufferId(0), buffer, inner);
    EXPECT_EQ(offsets(part.operand), offsets(direct));
    EXPECT_EQ(part.operand.region, direct.region);
  }
}

TEST(Operand, RegionsOfStridedViewsContainTheirElements) {
  Random random(2);
  int exact = 0;
  for (int round = 0; round < 5000; ++round) {
    const Buffer buffer = random_buffer(random);
    const int64_t size = elements(buffer.box);
    StridedLayout layout;
    for (int64_t rank = below(random, 4); rank > 0; --rank) {
      layout.shape.push_back(1 + below(random, 4));
      layout.strides.push_back(below(random, 14) - 4);
    }
    layout.offset = below(random, size);
    int64_t first = layout.offset, last = layout.offset;
    for (size_t i = 0; i < layout.shape.size(); ++i) {
      const int64_t reach = (layout.shape[i] - 1) * layout.strides[i];
      (reach < 0 ? first : last) += reach;
    }
    if (first < 0 || last >= size) continue;
    const Operand operand = operand_of(BufferId(0), buffer, layout);
    const std::set<int64_t> region = offsets(buffer, operand.region);
    for (int64_t offset : offsets(operand)) EXPECT_TRUE(region.contains(offset));
    const std::vector<int64_t> touched = offsets(operand);
    if (region.size() == std::set<int64_t>(touched.begin(), touched.end()).size()) {
      ++exact;
    }
  }
  EXPECT_GT(exact, 300);
}

TEST(Operand, PiecesOfOneViewJoinToIt) {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const Buffer buffer = random_buffer(random);
    const Box block = random_box(random, buffer.box);
    const Located whole{block, part_operand(BufferId(0), buffer, block)};
    std::vector<Box> boxes = {block};
    for (int cut = 0; cut < 3; ++cut) {
      const Box piece = random_box(random, block);
      std::vector<Box> split = boxes;
      subtract(split, piece);
      for (const Box& box : boxes) {
        const Box common = intersect(box, piece);
        if (!empty(common)) split.push_back(common);
      }
      boxes = split;
    }
    std::vector<Located> pieces;
    for (const Box& box : boxes) pieces.push_back(part_of(whole, box, buffer));
    const auto joined = join_pieces(pieces, block, {buffer});
    ASSERT_TRUE(joined.has_value());
    EXPECT_EQ(offsets(joined->operand), offsets(whole.operand));
    if (pieces.size() > 1) {
      pieces.back().operand.offset += 1;
      EXPECT_FALSE(join_pieces(pieces, block, {buffer}).has_value());
    }
  }
}

}  // namespace
}  // namespace einsummable
