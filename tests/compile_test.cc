// SPDX-License-Identifier: Apache-2.0
#include "einsummable/compile.h"

#include <gtest/gtest.h>

#include <limits>

#include "einsummable/base/error.h"
#include "einsummable/workloads/ffn.h"
#include "tests/support/executable.h"
#include "tests/support/network.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

TEST(Compile, RefusesOptionsThatNameNoDevices) {
  const Graph graph = Network().graph;
  const auto refusal = [&](const CompileOptions& options) {
    return message<DeviceError>([&] { compile(graph, options); });
  };
  EXPECT_EQ(refusal({.devices = 0, .objective = kProxy}), "devices must be at least 1, not 0");
  EXPECT_EQ(refusal({.devices = -3, .objective = kProxy}), "devices must be at least 1, not -3");
  EXPECT_EQ(refusal({.devices = 1, .objective = kProxy, .threads = -1}),
            "threads must be at least 0, not -1");
  EXPECT_NE(message<PlanError>([&] { compile(graph, {.devices = 5000, .objective = kProxy}); }),
            "");
}

TEST(Compile, RefusesASearchThatCannotBe) {
  using ScheduleMode = CompileOptions::ScheduleMode;
  const Graph graph = Network().graph;
  const auto refusal = [&](const CompileOptions& options) {
    return message<PlanError>([&] { make_plan(graph, options); });
  };
  EXPECT_EQ(refusal({.budget = -1}), "budget must be at least 0, not -1");
  for (double seconds : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(refusal({.time_limit = seconds}), "time_limit must be at least 0 seconds");
  }
  EXPECT_EQ(refusal({.schedule_mode = ScheduleMode::ai}), "schedule_mode ai needs a proposer");
  EXPECT_EQ(refusal({.selector = Selector::greedy, .objective = Objective::time}),
            "objective time is for the selector optimal, not for greedy");
}

TEST(Compile, RefusesATopologyOfOtherSites) {
  Topology topology = switched(3, 100);
  topology.name = "a switch";
  EXPECT_EQ(message<DeviceError>([&] {
              make_plan(Network().graph,
                        {.devices = 2, .topology = std::make_shared<const Topology>(topology)});
            }),
            "the plan is for 2 devices, the topology of a switch for 3");
}

TEST(Compile, RefusesADTypeOfPartialSumsThatIsNoFloatOrNotThePlans) {
  const Graph graph = Network().graph;
  EXPECT_EQ(message<PlanError>([&] {
              make_plan(graph, {.devices = 2, .objective = kProxy, .partial_dtype = DType::i64});
            }),
            "partial_dtype is float32, float64, float16 or bfloat16, not int64");
  const Plan plan = make_plan(graph, {.devices = 2, .objective = kProxy});
  const Plan wide =
      make_plan(graph, {.devices = 2, .objective = kProxy, .partial_dtype = DType::f64});
  const CompileOptions halves{.devices = 2, .objective = kProxy, .partial_dtype = DType::f16};
  EXPECT_EQ(message<PlanError>([&] { compile(plan, halves); }),
            "partial_dtype: the plan has that of the operators, not float16");
  EXPECT_EQ(message<PlanError>([&] { compile(wide, halves); }),
            "partial_dtype: the plan has float64, not float16");
  EXPECT_NO_THROW(compile(wide, {.devices = 2, .objective = kProxy}));
  EXPECT_NO_THROW(compile(wide, {.devices = 2, .objective = kProxy, .partial_dtype = DType::f64}));
}

TEST(Compile, RefusesAGraphThatSavesNothing) {
  Graph graph;
  graph.apply("relu", {graph.input(DType::f32, {4}, "x")});
  EXPECT_NE(message<GraphError>([&] { compile(graph, {.devices = 2, .objective = kProxy}); }), "");
}

TEST(Compile, APlanRunsAsItIs) {
  Network net;
  const Plan plan = make_plan(net.graph, {.devices = 3, .selector = Selector::random, .seed = 4});
  const auto executable = compile(plan, {.devices = 3, .objective = kProxy});
  executable->call(net.all(), net.outputs());
  EXPECT_EQ(net.y.values().values(), net.expected().values());
  EXPECT_EQ(plan_file(executable->plan()), plan_file(plan));
}

}  // namespace
}  // namespace einsummable
