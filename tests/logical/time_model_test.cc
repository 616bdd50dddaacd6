// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_model.h"

#include <gtest/gtest.h>

#include "einsummable/logical/optimise.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

// y [8, 4] = x [8, 16] w [16, 4] in float16.
struct Product {
  Product() {
    const TensorId x = graph.input(DType::f16, {8, 16}, "x");
    const TensorId w = graph.parameter(DType::f16, {16, 4}, "w");
    y = graph.apply("matmul", {x, w}, {}, "product")[0];
    graph.save(y, "y");
  }
  JoinAggSpec cut(const Counts& counts) const {
    return einsummable::cut(*graph.ops()[0].op, counts);
  }

  Graph graph;
  TensorId y;
};

TEST(TimeModel, PartialResultsHaveTheBytesOfTheirDType) {
  const Product product;
  EXPECT_EQ(element_bytes(product.graph, product.y, {}).partial, 4);
  EXPECT_EQ(element_bytes(product.graph, product.y, {}).complete, 2);
  EXPECT_EQ(element_bytes(product.graph, product.y, DType::f64).partial, 8);
}

TEST(TimeModel, KnowsTheLargestShareOfASite) {
  const Product product;
  const Topology topology = switched(3, 10);
  TimeModel model(topology);
  EXPECT_EQ(model.largest_share(model.needed(product.cut({{"i", 3}}), 0)), 3 * 16);
  EXPECT_EQ(model.largest_share(model.needed(product.cut({{"i", 3}}), 1)), 16 * 4);
  EXPECT_EQ(model.largest_share(model.made(product.cut({{"j", 3}}), 0)), 8 * 4);
}

TEST(TimeModel, WhatLiesAsItMustTakesNoTime) {
  const Product product;
  const Topology topology = switched(2, 10);
  TimeModel model(topology);
  const JoinAggSpec rows = product.cut({{"i", 2}}), partial = product.cut({{"j", 2}});
  const ElementBytes bytes = element_bytes(product.graph, product.y, {});
  EXPECT_EQ(model.exchange(model.made(rows, 0), model.made(rows, 0), bytes), 0);
  EXPECT_GT(model.exchange(model.made(partial, 0), model.made(rows, 0), bytes), 0);
}

TEST(PlannedTime, OverlapsWhatDoesNotWait) {
  Random random(11);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, 1 + static_cast<int64_t>(random() % 9), DType::f32);
    const LogicalPlan plan = optimise(g, {.p = 1 + static_cast<int64_t>(random() % 6),
                                          .selector = Selector::random,
                                          .seed = random()});
    const Topology topology = switched(6, 10);
    TimeModel model(topology);
    const PlannedTime time = planned_time(g, specs_of(plan), model);
    int64_t exchanges = 0, kernels = 0;
    for (const PlannedTime::OfOp& op : time.ops) {
      exchanges += op.exchange;
      kernels += op.kernel;
    }
    EXPECT_EQ(time.total, exchanges + kernels);
    EXPECT_LE(time.overlapped, time.total);
    EXPECT_GE(time.overlapped, std::max(exchanges, kernels));
    EXPECT_TRUE(exchanges > 0 || time.overlapped == kernels);
  }
}

}  // namespace
}  // namespace einsummable
