// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/physical_plan.h"

#include <gtest/gtest.h>

#include "einsummable/physical/planner.h"
#include "tests/support/plans.h"

namespace einsummable {
namespace {

// y = x w of 4 x 8 and 8 x 4, cut on what it sums over; then its largest element, cut in 2.
struct Example {
  Graph graph;
  TensorId y, most;

  explicit Example(DType dtype) {
    const TensorId x = graph.input(dtype, {4, 8}, "x"), w = graph.parameter(dtype, {8, 4}, "w");
    y = graph.apply("matmul", {x, w}, {}, "up")[0];
    most = graph.apply("max", {y}, {}, "most")[0];
    graph.save(most, "most");
  }

  PhysicalPlan plan(std::optional<DType> partial_dtype) const {
    const auto of = plan_of(graph, 4, {{"up", {{"j", 4}}}, {"most", {{"i0", 2}}}});
    return place_and_synthesise(of->graph, of->specs, 4,
                                {.partial_dtype = partial_dtype, .interruption = {}});
  }
};

int64_t bytes_of_partials(const PhysicalPlan& plan) {
  int64_t bytes = 0;
  for (const ExchangeStep& step : plan.steps) {
    if (!step.op.valid() || plan.graph->op(step.op).name != "most") continue;
    for (const exchange::Atom& atom : step.program.atoms()) bytes += atom.bytes;
  }
  return bytes;
}

TEST(PhysicalPlan, PartialSumsTravelInTheDTypeThatIsAskedFor) {
  const Example example(DType::f32);
  EXPECT_EQ(example.plan({}).partial(example.y).components[0].dtype, DType::f32);
  EXPECT_EQ(example.plan(DType::f64).partial(example.y).components[0].dtype, DType::f64);
  EXPECT_EQ(example.plan(DType::f64).partial(example.most).components[0].dtype, DType::f32);
  // Four partial results of 16 elements.
  EXPECT_EQ(bytes_of_partials(example.plan({})), 4 * 16 * 4);
  EXPECT_EQ(bytes_of_partials(example.plan(DType::bf16)), 4 * 16 * 2);
  EXPECT_EQ(bytes_of_partials(example.plan(DType::f16)), 4 * 16 * 2);
  EXPECT_EQ(bytes_of_partials(example.plan(DType::f64)), 4 * 16 * 8);
  EXPECT_EQ(bytes_of_partials(Example(DType::f16).plan({})), 4 * 16 * 4);
  EXPECT_EQ(bytes_of_partials(Example(DType::f16).plan(DType::f16)), 4 * 16 * 2);
}

}  // namespace
}  // namespace einsummable
