// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/holdings.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/physical/random_holdings.h"
#include "tests/support/plans.h"

namespace einsummable {
namespace {

// Blocks against the list of cells: every cell is in the block it writes, at its partial.
TEST(ProducedBlocks, HaveEveryCellOnce) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    const Produced produced = random_producer(random, 12);
    const JoinAggSpec& spec = produced.spec[0];
    std::set<int64_t> cells;
    std::set<Box> boxes;
    for (const ProducedBlock& block : produced_blocks(spec, 0)) {
      EXPECT_TRUE(boxes.insert(block.box).second);
      EXPECT_EQ(std::ssize(block.cells), spec.partials(0));
      for (size_t k = 0; k < block.cells.size(); ++k) {
        EXPECT_TRUE(cells.insert(block.cells[k]).second);
        EXPECT_EQ(spec.cell(block.cells[k]).outputs[0], block.box);
        EXPECT_EQ(spec.partial_of_cell(0, block.cells[k]), static_cast<int64_t>(k));
      }
    }
    EXPECT_EQ(std::ssize(cells), spec.cells());
    EXPECT_EQ(std::ssize(boxes), spec.output(0).blocks());
  }
}

TEST(Holdings, KnowPartialAndCompleteBlocks) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4, 6}, "x");
  const TensorId sum = graph.apply("einsum", {x}, {{"spec", std::string("ij->i")}}, "sum")[0];
  graph.save(graph.apply("relu", {sum}, {}, "relu")[0]);
  Holdings holdings(graph);
  holdings.produce(OpId(0), cut(*graph.ops()[0].op, {{"j", 2}}), std::vector{SiteId(1), SiteId(3)});
  EXPECT_EQ(holdings.partial_sites(sum, 0), (std::vector{SiteId(1), SiteId(3)}));
  EXPECT_TRUE(holdings.complete(sum).empty());
  EXPECT_FALSE(holdings.holds(sum, SiteId(1), {{0, 4}}));
  EXPECT_TRUE(holdings.holds(sum, SiteId(1), {{2, 2}})) << "an empty box is held everywhere";
  holdings.hold(sum, {SiteId(0), {{1, 3}}});
  EXPECT_TRUE(holdings.holds(sum, SiteId(0), {{2, 3}}));
  EXPECT_FALSE(holdings.holds(sum, SiteId(0), {{0, 3}}));
  holdings.hold(sum, {SiteId(0), {{2, 3}}});
  EXPECT_EQ(holdings.complete(sum).size(), 1u) << "a box within another adds nothing";
}

}  // namespace
}  // namespace einsummable
