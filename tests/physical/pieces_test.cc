// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "einsummable/physical/planner.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Boxes = std::vector<Box>;
using Position = std::vector<int64_t>;

// Positions of the boxes, one box after the other, each row-major.
std::vector<Position> positions(const Boxes& boxes) {
  std::vector<Position> out;
  for (const Box& box : boxes) {
    for_each_position(box,
                      [&](std::span<const int64_t> at) { out.emplace_back(at.begin(), at.end()); });
  }
  return out;
}

int64_t between(Random& random, int64_t least, int64_t most) {
  return least + random_below(random, most - least + 1);
}

Box random_box(Random& random, size_t rank) {
  Box box;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t lo = between(random, 0, 3);
    box.push_back({lo, lo + between(random, 1, 5)});
  }
  return box;
}

TEST(RowMajorRange, TakesTheElementsInOrderInFewBoxes) {
  for (int round = 0; round < rounds(500, 20'000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const size_t rank = static_cast<size_t>(between(random, 0, 4));
    const Box box = random_box(random, rank);
    const auto all = positions({box});
    const int64_t first = between(random, 0, std::ssize(all));
    const int64_t last = between(random, first, std::ssize(all));
    const Boxes range = row_major_range(box, first, last);
    EXPECT_EQ(positions(range), std::vector<Position>(all.begin() + first, all.begin() + last));
    EXPECT_LE(range.size(), std::max<size_t>(1, 2 * rank)) << text(box);
  }
  EXPECT_EQ(row_major_range({{0, 2}, {0, 4}}, 2, 8), (Boxes{{{0, 1}, {2, 4}}, {{1, 2}, {0, 4}}}));
  EXPECT_EQ(row_major_range({{5, 9}, {0, 4}}, 4, 12), (Boxes{{{6, 8}, {0, 4}}}));
}

TEST(Grain, IsASliceAlongTheOutermostAxisOfEnough) {
  EXPECT_EQ(grain_elements({{{0, 128}, {0, 4096}}}, nullptr), 4096);
  EXPECT_EQ(grain_elements({{{0, 1}, {0, 128}, {0, 4096}}}, nullptr), 4096);
  EXPECT_EQ(grain_elements({{{0, 2}, {0, 3}}}, nullptr), 1) << "too few: the innermost";
  EXPECT_EQ(grain_elements({Box{}}, nullptr), 1);
  const Boxes alike = {{{0, 40}, {0, 8}}, {{50, 90}, {0, 8}}};
  EXPECT_EQ(grain_elements(alike, nullptr), 8) << "both are cut in rows";
  const Boxes differ = {{{0, 80}, {0, 8}}, {{80, 99}, {0, 4}}};
  EXPECT_EQ(grain_elements(differ, nullptr), 1) << "rows of two lengths have elements in common";
}

TEST(Grain, CutsThroughNoAxisThatAComponentLacks) {
  const PartialType attention{
      .merge = Merge::weighted_mean,
      .components = {{"value", DType::f32, {0, 1, 2}}, {"lse", DType::f32, {0, 1}}}};
  EXPECT_EQ(grain_elements({{{0, 4}, {0, 64}, {0, 16}}}, &attention), 16);
  EXPECT_EQ(grain_elements({{{0, 1}, {0, 2}, {0, 16}}}, &attention), 16) << "two rows, whole";
  const PartialType outer{.merge = Merge::weighted_mean,
                          .components = {{"value", DType::f32, {0, 1}}, {"lse", DType::f32, {1}}}};
  EXPECT_EQ(grain_elements({{{0, 64}, {0, 64}}}, &outer), 64 * 64) << "nothing can be cut";
  const Boxes differ = {{{0, 64}, {0, 16}}, {{64, 65}, {0, 8}}};
  const PartialType row{.merge = Merge::weighted_mean,
                        .components = {{"value", DType::f32, {0, 1}}, {"lse", DType::f32, {0}}}};
  EXPECT_EQ(grain_elements(differ, &row), 64 * 16 + 8);
}

// The program of every step that moves something, with its atoms cut into some number of pieces.
int64_t cut_at_random(Random& random, PhysicalPlan& plan) {
  int64_t cut = 0;
  for (ExchangeStep& step : plan.steps) {
    if (step.regions.empty()) continue;
    for (const Region& region : step.regions) {
      const exchange::Atom whole = step.program.atom(region.atoms[0]);
      const int64_t grains = whole.bytes / *whole.grain;
      const int64_t pieces = between(random, 1, std::min<int64_t>(grains, 5));
      if (pieces == 1) continue;
      const auto sizes = exchange::equal_pieces(whole, pieces);
      for (exchange::AtomId atom : region.atoms) step.program.add_split(atom, sizes);
      ++cut;
    }
    derive(step);
  }
  return cut;
}

TEST(StepInPieces, CutsEveryRegionOnce) {
  int64_t cut = 0;
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const Graph graph = random_graph(random, 4 + round % 10, round % 2 ? DType::f16 : DType::f32);
    PhysicalPlan plan =
        *plan_of(graph, {.p = 1 + round % 9, .selector = Selector::random, .seed = random()});
    cut += cut_at_random(random, plan);
    for (const ExchangeStep& step : plan.steps) {
      const StepInPieces pieces(step);
      size_t next = 0;
      for (const Region& region : step.regions) {
        std::vector<Position> elements;
        const auto* split = step.program.split(region.complete);
        for (int32_t k = 0; k < (split != nullptr ? split->count : 1); ++k, ++next) {
          const Region& piece = pieces->regions[next];
          std::ranges::move(positions(piece.boxes), std::back_inserter(elements));
          EXPECT_EQ(std::tie(piece.tensor, piece.block, piece.formed, piece.required),
                    std::tie(region.tensor, region.block, region.formed, region.required));
          EXPECT_EQ(pieces->program.bytes(piece.complete),
                    piece.elements() * size_of(plan.graph->type(piece.tensor).dtype));
          if (piece.atoms.size() == 1) continue;
          const PartialType partial = plan.partial(piece.tensor);
          int64_t bytes = 0;
          for (const Box& box : piece.boxes) bytes += partial_bytes(partial, box);
          for (exchange::AtomId atom : piece.atoms) {
            EXPECT_EQ(pieces->program.atom(atom).bytes, bytes) << "of every component";
          }
        }
        EXPECT_EQ(elements, positions(region.boxes)) << "in order";
      }
      EXPECT_EQ(next, pieces->regions.size());
    }
  }
  EXPECT_GT(cut, rounds(60, 2'000));
}

}  // namespace
}  // namespace einsummable
