// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executable.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "einsummable/base/error.h"
#include "einsummable/workloads/ffn.h"
#include "tests/support/executable.h"
#include "tests/support/network.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

TEST(Executable, LoadNamesWhatIsWrongWithAParameter) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 2, .objective = kProxy});
  const auto refusal = [&](std::string_view name, const StridedView& array) {
    return message<InputError>([&] { executable->load(name, array); });
  };
  EXPECT_EQ(refusal("v", net.w1.view()),
            "there is no input or parameter called \"v\"; there are \"x\", \"w1\", \"w2\"");
  EXPECT_EQ(refusal("x", net.x.view()),
            "\"x\" is an input, which is given at every call; load takes parameters");
  EXPECT_EQ(refusal("w1", net.w2.view()),
            "\"w1\" is float32[6, 8], but the array given is float32[8, 6]");
  Memory doubles(tensor_type(DType::f64, Shape{6, 8}));
  EXPECT_EQ(refusal("w1", doubles.view()),
            "\"w1\" is float32[6, 8], but the array given is float64[6, 8]; cast it to float32");
  EXPECT_EQ(refusal("w1", net.w1.view()), "");
}

TEST(Executable, CallNamesWhatIsWrongWithItsArrays) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 2, .objective = kProxy});
  const auto refusal = [&](Network::Arguments inputs, Network::Arguments outputs) {
    return message<InputError>([&] { executable->call(inputs, outputs); });
  };
  EXPECT_EQ(refusal(net.inputs(), net.outputs()),
            "parameter \"w1\" is float32[6, 8], and was never loaded");
  executable->load("w1", net.w1.view());
  executable->load("w2", net.w2.view());
  const std::string missing = "input \"x\" is float32[4, 6], and is missing from the call";
  EXPECT_EQ(refusal({}, net.outputs()), missing);
  EXPECT_EQ(refusal({{"x", net.w1.view()}}, net.outputs()),
            "\"x\" is float32[4, 6], but the array given is float32[6, 8]");
  EXPECT_EQ(refusal({{"z", net.x.view()}}, net.outputs()),
            "there is no input or parameter called \"z\"; there are \"x\", \"w1\", \"w2\"");
  EXPECT_EQ(refusal(net.inputs(), {{"z", net.y.view()}}), "no tensor is saved as \"z\"");
  EXPECT_EQ(refusal(net.inputs(), {{"y", net.w1.view()}}),
            "the result \"y\" is float32[4, 6], but the array to fill is float32[6, 8]");
  Memory halves(tensor_type(DType::f16, Shape{4, 6}));
  EXPECT_EQ(refusal(net.inputs(), {{"y", halves.view()}}),
            "the result \"y\" is float32[4, 6], but the array to fill is float16[4, 6]");
  executable->call(net.inputs(), net.outputs());
  EXPECT_EQ(net.y.values().values(), net.expected().values()) << "errors leave it usable";
  EXPECT_EQ(refusal({}, net.outputs()), missing) << "inputs are given at every call";
}

TEST(Executable, ParametersAreLoadedOnceAndStay) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 3, .objective = kProxy});
  executable->call(net.all(), net.outputs());
  EXPECT_EQ(net.y.values().values(), net.expected().values());
  net.x = Network::filled({4, 6}, 7);
  executable->call(net.inputs(), net.outputs());
  EXPECT_EQ(net.y.values().values(), net.expected().values());
  net.w2 = Network::filled({8, 6}, 5);
  executable->load("w2", net.w2.view());
  executable->call(net.inputs(), net.outputs());
  EXPECT_EQ(net.y.values().values(), net.expected().values());
}

TEST(Executable, ArraysMayHaveAnyStrides) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 2, .objective = kProxy});
  // x transposed in memory, y with its rows backwards.
  Array64 transposed(box_of(Shape{6, 4}));
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 6; ++j) transposed.at({j, i}) = net.x.values().at({i, j});
  }
  Memory columns(tensor_type(DType::f32, Shape{6, 4}), transposed);
  const Shape shape = {4, 6};
  const std::array<int64_t, 2> by_columns = {1, 4}, backwards = {-6, 1};
  const StridedView x = {columns.view().data, DType::f32, shape, by_columns};
  const StridedView y = {net.y.view().data + 18 * sizeof(float), DType::f32, shape, backwards};
  executable->call(
      std::array<Executable::Argument, 3>{{{"x", x}, {"w1", net.w1.view()}, {"w2", net.w2.view()}}},
      std::array<Executable::Argument, 1>{{{"y", y}}});
  const Array64 expected = net.expected(), got = net.y.values();
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 6; ++j) EXPECT_EQ(got.at({3 - i, j}), expected.at({i, j}));
  }
}

TEST(Executable, CallsFromSeveralThreadsGiveRightResults) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 3, .objective = kProxy});
  executable->load("w1", net.w1.view());
  executable->load("w2", net.w2.view());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int64_t caller = 1; caller <= 4; ++caller) {
    callers.emplace_back([&, caller] {
      Network mine;
      mine.x = Network::filled({4, 6}, caller);
      const std::vector<double> expected = mine.expected().values();
      for (int repeat = 0; repeat < 20; ++repeat) {
        executable->call(mine.inputs(), mine.outputs());
        wrong += mine.y.values().values() != expected;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executable, InterruptedCallsCanBeRepeated) {
  Network net;
  const auto executable = compile(net.graph, {.devices = 2, .objective = kProxy});
  const auto inputs = net.all();
  const auto outputs = net.outputs();
  // So short a call may end before it asks.
  const std::string said =
      message<InputError>([&] { executable->call(inputs, outputs, [] { return true; }); });
  EXPECT_TRUE(said.empty() || said == "the call was interrupted");
  executable->call(inputs, outputs);
  EXPECT_EQ(net.y.values().values(), net.expected().values());
}

// What no saved tensor needs is not asked for.
TEST(Executable, InputsThatNothingReadsNeedNotBeGiven) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4}, "x"), unread = graph.input(DType::f32, {2}, "u");
  graph.parameter(DType::f32, {3}, "w");
  graph.apply("relu", {unread});
  graph.save(graph.apply("neg", {x})[0], "y");
  const auto executable = compile(graph, {.devices = 2, .objective = kProxy});
  EXPECT_EQ(executable->graph().ops().size(), 1u);
  const TensorType type = tensor_type(DType::f32, Shape{4});
  Memory in(type, Array64(type.bounds, 3)), out(type);
  executable->call(std::array<Executable::Argument, 1>{{{"x", in.view()}}},
                   std::array<Executable::Argument, 1>{{{"y", out.view()}}});
  EXPECT_EQ(out.values().values(), std::vector<double>(4, -3));
  Memory two(tensor_type(DType::f32, Shape{2}));
  executable->call(std::array<Executable::Argument, 2>{{{"x", in.view()}, {"u", two.view()}}}, {});
}

TEST(Executable, SavedInputsAndParametersComeBack) {
  for (int64_t p : {1, 2, 5}) {
    Graph graph;
    const TensorId x = graph.input(DType::i32, {5, 3}, "x");
    const TensorId w = graph.parameter(DType::i32, {5, 3}, "w");
    graph.save(x, "x_again");
    graph.save(w, "w_again");
    graph.save(graph.apply("add", {x, w}, {}, "add")[0], "sum");
    Random random(1);
    auto values = random_values(random, graph);
    for (auto& [id, array] : values) {
      for (double& value : array.values()) value = static_cast<double>(random_below(random, 99));
    }
    const auto executable = compile(graph, {.devices = p, .objective = kProxy});
    for (int repeat = 0; repeat < 2; ++repeat) {
      const std::vector<Memory> saved = call(*executable, graph, values);
      EXPECT_EQ(saved[0].values().values(), values.at(x).values());
      EXPECT_EQ(saved[1].values().values(), values.at(w).values());
    }
  }
}

TEST(Executable, AGraphMayHaveNoOperators) {
  Graph graph;
  const TensorId x = graph.input(DType::f64, {3}, "x");
  graph.save(x, "y");
  for (int64_t p : {1, 4}) {
    const auto executable = compile(graph, {.devices = p, .objective = kProxy});
    EXPECT_TRUE(executable->tasks().tasks.empty());
    Array64 value(box_of(Shape{3}), 2.5);
    EXPECT_EQ(call(*executable, graph, {{x, value}})[0].values().values(), value.values());
  }
}

TEST(Executable, OneTensorMayBeSavedTwice) {
  Graph graph;
  const TensorId x = graph.input(DType::f64, {3, 4}, "x");
  const TensorId sum = graph.apply("sum", {x}, {{"axis", std::vector<int64_t>{1}}}, "sum")[0];
  graph.save(sum, "a");
  graph.save(sum, "b");
  const auto executable = compile(graph, {.devices = 4, .objective = kProxy});
  const std::vector<Memory> saved =
      call(*executable, graph, {{x, Array64(box_of(Shape{3, 4}), 2)}});
  for (const Memory& memory : saved) {
    EXPECT_EQ(memory.values().values(), std::vector<double>(3, 8));
  }
}

TEST(Executable, ExtentsMayBeZero) {
  for (int64_t p : {1, 2, 8}) {
    Graph graph;
    const TensorId x = graph.input(DType::f32, {0, 4}, "x");
    const TensorId w = graph.parameter(DType::f32, {4, 3}, "w");
    const TensorId y = graph.apply("matmul", {x, w}, {}, "product")[0];
    graph.save(graph.apply("relu", {y}, {}, "relu")[0], "y");
    graph.save(graph.apply("sum", {y}, {{"axis", std::vector<int64_t>{0}}}, "sum")[0], "s");
    graph.save(x, "x_again");
    const TensorId v = graph.parameter(DType::f32, {0, 3}, "v");
    const TensorId z = graph.input(DType::f32, {5, 0}, "z");
    graph.save(graph.apply("matmul", {z, v}, {}, "outer")[0], "o");
    const auto executable = compile(graph, {.devices = p, .objective = kProxy});
    Random random(1);
    const std::vector<Memory> saved = call(*executable, graph, random_values(random, graph));
    EXPECT_TRUE(saved[0].bytes().empty());
    EXPECT_EQ(saved[1].values().values(), std::vector<double>(3, 0)) << "a sum of nothing";
    EXPECT_TRUE(saved[2].bytes().empty());
    EXPECT_EQ(saved[3].values().values(), std::vector<double>(15, 0));
  }
}

TEST(Executable, ScalarsMayHaveManyDevices) {
  Graph graph;
  const TensorId x = graph.input(DType::f64, {}, "x");
  graph.save(graph.apply("exp", {x}, {}, "exp")[0], "y");
  const auto executable = compile(graph, {.devices = 64, .objective = kProxy});
  Array64 zero;
  zero.values() = {0};
  EXPECT_EQ(call(*executable, graph, {{x, zero}})[0].values().values(), std::vector<double>{1});
}

TEST(Executable, ThereMayBeManyMoreDevicesThanWork) {
  Random random(3);
  for (int round = 0; round < rounds(6, 60); ++round) {
    const Graph graph = random_graph(random, 8, DType::f64);
    const auto values = random_values(random, graph);
    const auto reference = evaluate(graph, values);
    const auto executable = compile(graph, {.devices = 300, .objective = kProxy, .threads = 2});
    const std::vector<Memory> saved = call(*executable, graph, values);
    for (size_t s = 0; s < saved.size(); ++s) {
      const Array64& expected = reference.at(graph.saves()[s].tensor);
      for (size_t i = 0; i < expected.values().size(); ++i) {
        EXPECT_NEAR(saved[s].values().values()[i], expected.values()[i],
                    1e-10 * (1 + std::abs(expected.values()[i])));
      }
    }
  }
}

TEST(Executable, MemoryLimitIsThatOfTheStaticPeak) {
  const Graph graph = workloads::ffn(64, 32, 128, DType::f32);
  const int64_t peak = compile(graph, {.devices = 2, .objective = kProxy})->peak_bytes();
  EXPECT_NO_THROW(compile(graph, {.devices = 2, .objective = kProxy, .memory_limit = peak}));
  for (int64_t limit : {peak - 1, int64_t{1}, int64_t{0}}) {
    const std::string said = message<MemoryLimitError>(
        [&] { compile(graph, {.devices = 2, .objective = kProxy, .memory_limit = limit}); });
    EXPECT_NE(said.find("a limit of " + std::to_string(peak) + " B"), std::string::npos) << said;
  }
}

TEST(Executable, ReportsWhatWasVerified) {
  const auto executable = compile(Network().graph, {.devices = 2, .objective = kProxy});
  EXPECT_TRUE(executable->report().ok());
  std::vector<std::string> names;
  for (const Check& check : executable->report().checks) {
    names.push_back(check.name);
    EXPECT_GT(check.count, 0) << check.name;
  }
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace einsummable
