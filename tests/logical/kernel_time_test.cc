// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/kernel_time.h"

#include <gtest/gtest.h>

#include "einsummable/graph/graph.h"
#include "einsummable/logical/optimise.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

// One operator, cut as pinned.
double seconds(const Graph& graph, int64_t p, const Pins& pins, const Topology& topology) {
  const LogicalPlan plan = optimise(graph, {.p = p, .pins = pins});
  return kernel_seconds(*graph.ops().back().op, *plan.ops.back().spec, topology);
}

Graph product(int64_t m, int64_t k, int64_t n) {
  Graph g;
  const TensorId x = g.input(DType::f32, {m, k}, "x"), w = g.input(DType::f32, {k, n}, "w");
  g.save(g.apply("matmul", {x, w}, {}, "y")[0]);
  return g;
}

// 2 * 1024^3 flops at 1e12 a second, an eighth each, and 1 us.
TEST(KernelTime, OfAProductIsItsArithmetic) {
  const double alone = 2 * std::pow(1024, 3) / 1e12;
  EXPECT_DOUBLE_EQ(seconds(product(1024, 1024, 1024), 1, {}, switched(1, 1)), alone + 1e-6);
  EXPECT_DOUBLE_EQ(seconds(product(1024, 1024, 1024), 8, {}, switched(8, 1)), alone / 8 + 1e-6);
}

TEST(KernelTime, OfElementwiseWorkIsItsBytes) {
  Graph g;
  const TensorId x = g.input(DType::f32, {1000, 1000}, "x");
  g.save(g.apply("add", {x, x}, {}, "y")[0]);
  EXPECT_DOUBLE_EQ(seconds(g, 1, {}, switched(1, 1)), 3 * 4e6 / 1e12 + 1e-6);
}

TEST(KernelTime, CellsTakeTurnsOnFewWorkers) {
  Topology few = switched(8, 1);
  few.workers = 2;
  const double all = seconds(product(1024, 1024, 1024), 8, {}, switched(8, 1));
  EXPECT_DOUBLE_EQ(seconds(product(1024, 1024, 1024), 8, {}, few), 4 * all);
}

// Three cells on one device and one on another; two, both on the first.
TEST(KernelTime, CellsOfOneDeviceTakeTurns) {
  const double one = seconds(product(1024, 1024, 1024), 4, {}, switched(4, 1));
  Topology shared = switched(2, 1);
  shared.device_of = {0, 0, 0, 1};
  EXPECT_DOUBLE_EQ(seconds(product(1024, 1024, 1024), 4, {}, shared), 3 * one);
  shared.device_of = {0, 0, 1, 1};
  const double half = seconds(product(1024, 1024, 1024), 2, {}, switched(2, 1));
  EXPECT_DOUBLE_EQ(seconds(product(1024, 1024, 1024), 2, {}, shared), 2 * half);
}

// Five rows on three sites: one has one row, two have two.
TEST(KernelTime, TheSlowestCellCounts) {
  const Graph g = product(5, 1000, 1000);
  Topology topology = switched(3, 1);
  topology.devices[0].hbm_gbps = 0;
  const double row = 2.0 * 1000 * 1000 / 1e12;
  EXPECT_DOUBLE_EQ(seconds(g, 3, {{"y", {{"i", 3}}}}, topology), 2 * row + 1e-6);
}

TEST(KernelTime, TheNearestShapeSaysHowMuchOfThePeakIsReached) {
  Topology topology = switched(1, 1);
  topology.efficiencies = {{"matmul", "float32", {1024, 1024, 1024}, 0.5},
                           {"matmul", "float32", {16, 1024, 1024}, 0.1},
                           {"matmul", "float16", {16, 1024, 1024}, 0.9},
                           {"attention", "float32", {16, 1024, 1024}, 0.9}};
  const double peak = 2.0 * 20 * 1024 * 1024 / 1e12;
  EXPECT_DOUBLE_EQ(seconds(product(20, 1024, 1024), 1, {}, topology), peak / 0.1 + 1e-6);
  EXPECT_DOUBLE_EQ(seconds(product(512, 1024, 1024), 1, {}, topology),
                   peak * 512 / 20 / 0.5 + 1e-6);
}

// A layout operator whose cells are views takes no time.
TEST(KernelTime, ViewsTakeNone) {
  Graph g;
  const TensorId x = g.input(DType::f32, {64, 64}, "x");
  g.save(g.apply("reshape", {x}, {{"shape", Shape{64, 8, 8}}}, "y")[0]);
  EXPECT_EQ(seconds(g, 4, {}, switched(4, 1)), 0);
}

}  // namespace
}  // namespace einsummable
