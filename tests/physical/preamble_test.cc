// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/preamble.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/printer.h"
#include "einsummable/physical/planner.h"
#include "tests/support/plans.h"

namespace einsummable {
namespace {

// The matrix multiply of Example 3.8, its rows and its contraction cut in two, and a softmax by
// rows cut in four: Example 5.4. What the paper calls X_j and Y_j are the two partials of the atom
// j - 1 here, 64 x 128 float32 each; its S_j is where the j-th cell of the softmax was placed.
Graph example(DType dtype) {
  Graph graph;
  const TensorId x = graph.input(dtype, {256, 512}, "x");
  const TensorId w = graph.parameter(dtype, {512, 128}, "w");
  const TensorId y = graph.apply("matmul", {x, w}, {}, "product")[0];
  graph.save(graph.apply("softmax", {y}, {}, "softmax")[0]);
  return graph;
}

std::string preamble_of(const PhysicalPlan& plan, size_t step) {
  exchange::Program program = plan.steps[step].program;
  program.set_body({});
  return exchange::print(program);
}

TEST(Preamble, IsThatOfExample54) {
  const auto plan = plan_of(example(DType::f32), 4,
                            {{"product", {{"i", 2}, {"j", 2}}}, {"softmax", {{"batch0", 4}}}});
  EXPECT_EQ(preamble_of(*plan, 1), R"(exprog 1
GPUS: 0, 1, 2, 3
IN: t2.0.0 @ 0 (size: 32 KiB, grain: 512 B); t2.0.1 @ 1 (size: 32 KiB, grain: 512 B);
    t2.1.0 @ 0 (size: 32 KiB, grain: 512 B); t2.1.1 @ 1 (size: 32 KiB, grain: 512 B);
    t2.2.0 @ 2 (size: 32 KiB, grain: 512 B); t2.2.1 @ 3 (size: 32 KiB, grain: 512 B);
    t2.3.0 @ 2 (size: 32 KiB, grain: 512 B); t2.3.1 @ 3 (size: 32 KiB, grain: 512 B)
OUT: t2.0.0+t2.0.1 @ 0; t2.1.0+t2.1.1 @ 1; t2.2.0+t2.2.1 @ 2; t2.3.0+t2.3.1 @ 3
)");
}

// Partial results of float16 products are float32, twice as large as the complete block.
TEST(Preamble, SaysHowLargePartialAndCompleteBlocksAre) {
  const auto plan =
      plan_of(example(DType::f16), 2, {{"product", {{"j", 2}}}, {"softmax", {{"batch0", 1}}}});
  EXPECT_EQ(preamble_of(*plan, 1), R"(exprog 1
GPUS: 0, 1
IN: t2.0.0 @ 0 (size: 128 KiB, grain: 512 B); t2.0.1 @ 1 (size: 128 KiB, grain: 512 B)
OUT: t2.0.0+t2.0.1 @ 0 (size: 64 KiB)
)");
}

TEST(Needs, AreTheNonEmptyBlocksOfEveryCell) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {2}, "x");
  graph.save(graph.apply("pad", {x}, {{"before", Shape{2}}, {"after", Shape{2}}}, "pad")[0]);
  const JoinAggSpec spec = cut(*graph.ops()[0].op, {{"i0", 3}});
  const std::vector<SiteId> sites = {SiteId(4), SiteId(1), SiteId(2)};
  const std::vector<Resident> expected = {{SiteId(1), {{0, 2}}}};
  EXPECT_EQ(needs(spec, 0, sites), expected);
}

}  // namespace
}  // namespace einsummable
