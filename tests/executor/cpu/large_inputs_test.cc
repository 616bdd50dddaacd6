// SPDX-License-Identifier: Apache-2.0
// Whatever strides a large input comes with, call after call, the bits are those of a dense copy.
#include "einsummable/executor/cpu/large_inputs.h"

#include <gtest/gtest.h>

#include "tests/support/executable.h"
#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

// An array of the caller's, with any order of axes, gaps between rows, and directions.
struct Given {
  std::vector<float> memory;
  Shape shape;
  std::vector<int64_t> strides;
  int64_t start = 0;

  Given(const Array64& values, Random& random) : shape(shape_of(values.bounds())) {
    std::vector<size_t> order(shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto kind = random() % 4;
    if (kind == 1) std::ranges::shuffle(order, random);
    strides.resize(shape.size());
    int64_t stride = kind == 2 ? 2 : 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = stride;
      stride *= shape[order[i]] + (kind == 0 ? 0 : random_below(random, 3));
    }
    memory.assign(static_cast<size_t>(stride) + 1, NAN);
    if (kind == 3) {  // backwards along the first axis
      start = (shape[0] - 1) * strides[0];
      strides[0] = -strides[0];
    }
    size_t next = 0;
    for_each_position(box_of(shape), [&](std::span<const int64_t> at) {
      int64_t offset = start;
      for (size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
      memory[static_cast<size_t>(offset)] = static_cast<float>(values.values()[next++]);
    });
  }

  StridedView view() {
    return {reinterpret_cast<std::byte*>(memory.data() + start), DType::f32, shape, strides};
  }
};

// x is read by a product alone, w by a product and an elementwise operator; z is saved as it is.
Graph graph_of() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {160, 144}, "x");
  const TensorId w = graph.input(DType::f32, {144, 136}, "w");
  const TensorId z = graph.input(DType::f32, {160, 136}, "z");
  const TensorId y = graph.apply("matmul", {x, w}, {}, "product").at(0);
  graph.save(y, "y");
  graph.save(
      graph.apply("matmul", {y, graph.apply("exp", {w}).at(0)}, {{"transpose_w", true}}, "second")
          .at(0),
      "s");
  graph.save(z, "z");
  return graph;
}

TEST(LargeInputs, GiveTheSameBitsWithAnyStrides) {
  const Graph graph = graph_of();
  Random random(3);
  for (const auto& [sites, shared] :
       {std::pair{1, true}, std::pair{2, true}, std::pair{3, false}, std::pair{5, true}}) {
    CompileOptions options{.devices = sites, .objective = kProxy, .threads = 2};
    if (!shared) options.sites = CompileOptions::Sites::private_sites;
    const auto executable = compile(graph, options);
    for (int64_t round = 0; round < rounds(12, 100); ++round) {
      std::map<TensorId, Array64> values;
      std::vector<Given> given;
      given.reserve(3);
      std::vector<Executable::Argument> inputs, outputs;
      for (const char* name : {"x", "w", "z"}) {
        const TensorId id = graph.find_tensor(name);
        Array64 array = random_integers(random, graph.type(id).shape(), 5);
        for (double& value : array.values()) value /= 16;
        given.emplace_back(array, random);
        inputs.push_back({name, given.back().view()});
        values.emplace(id, std::move(array));
      }
      const std::vector<Memory> dense = call(*executable, graph, values);
      std::vector<Memory> strided;
      strided.reserve(3);
      for (const GraphSave& save : graph.saves()) {
        strided.emplace_back(graph.type(save.tensor));
        outputs.push_back({save.name, strided.back().view()});
      }
      executable->call(inputs, outputs);
      for (size_t i = 0; i < strided.size(); ++i) {
        ASSERT_TRUE(strided[i].bytes() == dense[i].bytes())
            << graph.saves()[i].name << ", " << sites << " sites, round " << round;
      }
    }
  }
}

TEST(LargeInputs, AreOnlyThoseOfSize) {
  const Graph graph = graph_of();
  const LoweredPlan lowered = make_lowered(graph, {.devices = 2, .objective = kProxy});
  const LargeInputs inputs(*lowered.tasks);
  EXPECT_GT(inputs.count(), 0u);
  const TaskGraph order = inputs.order();
  EXPECT_EQ(order.tasks.size(), lowered.tasks->tasks.size() + inputs.count());
  EXPECT_EQ(inputs.urgency(std::vector<double>(lowered.tasks->tasks.size(), 1)).size(),
            order.tasks.size());
  for (size_t t = 0; t < order.tasks.size(); ++t) {
    for (TaskId before : order.tasks[t].after) EXPECT_LT(before.index(), t);
  }
  Graph small;
  small.save(small.apply("exp", {small.input(DType::f32, {4}, "x")}).at(0), "y");
  const LoweredPlan none = make_lowered(small, {.devices = 1, .objective = kProxy});
  EXPECT_EQ(LargeInputs(*none.tasks).count(), 0u);
}

}  // namespace
}  // namespace einsummable::cpu
