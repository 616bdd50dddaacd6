// SPDX-License-Identifier: Apache-2.0
// Products and what follows them, as one task: which do, that results are the reference's, and that
// all else is left as it was.
#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/devices.h"
#include "tests/support/cuda_twin/table.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::Table;
using cuda_twin::Twin;

CompileOptions on_sites(const Api& api, int64_t sites, int64_t devices = 1) {
  std::vector<int32_t> of_sites;
  for (int64_t site = 0; site < sites; ++site) {
    of_sites.push_back(static_cast<int32_t>(site % devices));
  }
  CompileOptions options{.devices = sites, .objective = kProxy};
  options.executor = std::make_shared<CudaExecutor>(
      api, CudaOptions{.devices = std::move(of_sites), .kernels = {.product_workspace = 1024}});
  return options;
}

// The steps of every kernel task that begins with a product, in order.
std::vector<size_t> steps_of_products(const Graph& graph, const CompileOptions& options) {
  const LoweredPlan lowered = make_lowered(graph, options);
  std::vector<size_t> steps;
  for (const Task& task : lowered.tasks->tasks) {
    if (task.kind != Task::Kind::kernel) continue;
    if (lowered.plan.graph->op(task.steps[0].op).op->elementwise()) continue;
    steps.push_back(task.steps.size());
  }
  return steps;
}

// x w of 6 x 8 by 8 x 10, and what a test adds to it.
struct Example {
  Graph graph;
  DType dtype;
  TensorId y;

  explicit Example(DType of = DType::f16) : dtype(of) {
    const TensorId x = graph.input(dtype, {6, 8}, "x");
    const TensorId w = graph.parameter(dtype, {8, 10}, "w");
    y = graph.apply("matmul", {x, w}).at(0);
  }
  Example& add(const Shape& shape) {
    const TensorId other = graph.input(dtype, shape, "addend" + std::to_string(added++));
    y = graph.apply("add", {other, y}).at(0);
    return *this;
  }
  Example& apply(std::string_view op, const Attributes& attributes = {}) {
    y = graph.apply(op, {y}, attributes).at(0);
    return *this;
  }
  size_t steps() {
    graph.save(y, "y");
    const Twin twin;
    return steps_of_products(graph, on_sites(twin.api(), 1)).at(0);
  }
  int added = 0;
};

TEST(Epilogue, IsWhatTheLibraryDoesInItsOrder) {
  const Shape whole = {6, 10}, bias = {10};
  EXPECT_EQ(Example().steps(), 1);
  EXPECT_EQ(Example().add(bias).steps(), 2);
  EXPECT_EQ(Example().add({1, 10}).steps(), 2);
  EXPECT_EQ(Example().add(whole).steps(), 2);
  EXPECT_EQ(Example().apply("relu").steps(), 2);
  EXPECT_EQ(Example().add(bias).apply("gelu_tanh").steps(), 3);
  EXPECT_EQ(Example().add(whole).add(bias).apply("relu").steps(), 4);
  EXPECT_EQ(Example().add(bias).add(whole).apply("relu").steps(), 4);
  EXPECT_EQ(Example(DType::f64).add(whole).steps(), 2);
}

TEST(Epilogue, EndsWhereTheLibraryHasNoMore) {
  const Shape whole = {6, 10}, bias = {10};
  EXPECT_EQ(Example().apply("relu").add(bias).steps(), 2) << "a bias after the activation";
  EXPECT_EQ(Example().apply("relu").apply("relu").steps(), 2);
  EXPECT_EQ(Example().add(whole).add(whole).steps(), 2) << "two residuals";
  EXPECT_EQ(Example().add(bias).add(bias).steps(), 2) << "two biases";
  EXPECT_EQ(Example().add({6, 1}).steps(), 1) << "a bias along the other side";
  EXPECT_EQ(Example().add({1}).steps(), 1) << "a bias of one element";
  EXPECT_EQ(Example().apply("gelu").steps(), 1) << "the exact gelu";
  EXPECT_EQ(Example().apply("relu", {{"a", 0.5}}).steps(), 1) << "a leaky relu";
  EXPECT_EQ(Example().apply("silu").steps(), 1);
  EXPECT_EQ(Example(DType::f64).add(bias).steps(), 1) << "no bias for float64";
  EXPECT_EQ(Example(DType::f64).apply("relu").steps(), 1);
}

TEST(Epilogue, NeedsABlockThatNothingElseReads) {
  Example twice;
  twice.graph.save(twice.y, "product");
  EXPECT_EQ(twice.apply("relu").steps(), 1);
  Example itself;
  itself.y = itself.graph.apply("add", {itself.y, itself.y}).at(0);
  EXPECT_EQ(itself.steps(), 1);
}

TEST(Epilogue, IsLeftOutWhereTheDeviceOrTheCheckWillNotHaveIt) {
  Example example;
  example.add({10}).apply("relu");
  example.graph.save(example.y, "y");
  Twin twin;
  CompileOptions options = on_sites(twin.api(), 1);
  twin.fail("has_product", 0, Status::unsupported);
  EXPECT_EQ(steps_of_products(example.graph, options), std::vector<size_t>{1});
  EXPECT_EQ(steps_of_products(example.graph, options), std::vector<size_t>{3});
  options.verify = CompileOptions::Verify::numeric;
  EXPECT_EQ(steps_of_products(example.graph, options), std::vector<size_t>{1});
  Random random(1);
  const auto executable = compile(example.graph, options);
  call(*executable, example.graph, random_values(random, example.graph));
  EXPECT_TRUE(executable->numeric()->detail.empty());
}

TEST(Epilogue, HasNoReluThatDropsNan) {
  Example example;
  example.add({10}).apply("relu");
  example.graph.save(example.y, "y");
  Random random(2);
  auto values = random_values(random, example.graph);
  values.at(example.graph.find_tensor("x")).values()[0] = NAN;
  for (const auto relu : {cuda_twin::OfNan::kept, cuda_twin::OfNan::dropped}) {
    const Table table({.relu = relu});
    Devices devices(table.api());
    CompileOptions options = on_sites(table.api(), 1);
    options.executor = std::make_shared<CudaExecutor>(
        table.api(), CudaOptions{.devices = {0},
                                 .kernels = {.product_workspace = 1024},
                                 .relu_keeps_nan = [&](int32_t device) {
                                   return devices.relu_keeps_nan(device);
                                 }});
    const size_t steps = devices.relu_keeps_nan(0) ? 3 : 2;
    EXPECT_EQ(steps_of_products(example.graph, options), std::vector<size_t>{steps});
    const auto executable = compile(example.graph, options);
    const std::vector<Memory> results = call(*executable, example.graph, values);
    EXPECT_TRUE(std::isnan(results[0].values().values()[0]));
  }
}

// A product of any kind, then up to four operators that may be an epilogue, or not.
Graph random_chain(Random& random, DType dtype) {
  struct Kind {
    const char* spec;  // none: matmul
    Shape a, b, c;
  };
  const int64_t m = 1 + random_below(random, 7), k = 1 + random_below(random, 7),
                n = 1 + random_below(random, 7), batch = 1 + random_below(random, 3);
  const Kind kinds[] = {{nullptr, {m, k}, {k, n}, {m, n}},
                        {nullptr, {batch, m, k}, {k, n}, {batch, m, n}},
                        {nullptr, {batch, m, k}, {batch, k, n}, {batch, m, n}},
                        {"ij,jk->ki", {m, k}, {k, n}, {n, m}},
                        {"bsd,dhk->bshk", {2, m, k}, {k, batch, n}, {2, m, batch, n}},
                        {"bsd,dhk->bhsk", {2, m, k}, {k, batch, n}, {2, batch, m, n}}};
  const Kind& kind = kinds[random_below(random, std::size(kinds))];
  Graph graph;
  const TensorId a = graph.input(dtype, kind.a, "a"), b = graph.input(dtype, kind.b, "b");
  TensorId y = kind.spec ? graph.apply("einsum", {a, b}, {{"spec", kind.spec}}).at(0)
                         : graph.apply("matmul", {a, b}).at(0);
  for (int64_t step = random_below(random, 5); step > 0; --step) {
    constexpr const char* kActivations[] = {"relu", "gelu_tanh", "sigmoid"};
    const int64_t pick = random_below(random, 5);
    if (pick < 3) {
      Shape shape = kind.c;
      if (pick == 1) shape = {kind.c.back()};
      if (pick == 2) {
        for (int64_t& extent : shape) extent = random() % 2 ? extent : 1;
      }
      const TensorId other = graph.input(dtype, shape, "addend" + std::to_string(step));
      y = graph.apply("add", random() % 2 ? std::vector{y, other} : std::vector{other, y}).at(0);
    } else {
      y = graph.apply(kActivations[random_below(random, 3)], {y}).at(0);
    }
  }
  graph.save(y, "y");
  return graph;
}

TEST(Epilogue, RandomChainsEqualTheirReferences) {
  constexpr DType kDTypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64};
  constexpr double kAllowed[] = {2e-6, 2e-3, 2e-2, 1e-13};
  const int count = rounds(60, 1000);
  int64_t joined = 0;
  for (int64_t round = 0; round < count; ++round) {
    Random random(static_cast<uint64_t>(round) + 77);
    const Graph graph = random_chain(random, kDTypes[round % 4]);
    const auto values = random_values(random, graph);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + text(graph));
    const Table table({.seed = random()});
    const CompileOptions options = on_sites(table.api(), 1 + round % 3, table.devices(2));
    for (size_t steps : steps_of_products(graph, options))
      joined += static_cast<int64_t>(steps) - 1;
    const auto executable = compile(graph, options);
    const std::vector<Memory> results = call(*executable, graph, values);
    const std::vector<double> got = results[0].values().values();
    const std::vector<double> wanted = evaluate(graph, values).at(graph.saves()[0].tensor).values();
    double scale = 1;
    for (double value : wanted) scale = std::max(scale, std::abs(value));
    for (size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(got[i], wanted[i], kAllowed[round % 4] * scale) << i;
    }
  }
  EXPECT_GT(joined, count / 3) << "few of the products have an epilogue";
}

}  // namespace
}  // namespace einsummable::cuda
