// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/physical/planner.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"
#include "tests/support/every_spec.h"
#include "tests/support/random_graph.h"

namespace einsummable {
namespace {

// A two-layer network over two sites, its contraction cut.
TaskGraph small_graph(Traits::Memory memory) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4, 6}, "x");
  const TensorId w = graph.parameter(DType::f32, {6, 2}, "w");
  const TensorId up = graph.apply("matmul", {x, w}, {}, "up")[0];
  graph.save(graph.apply("relu", {up}, {}, "hidden")[0], "y");
  auto shared = std::make_shared<const Graph>(std::move(graph));
  std::vector<JoinAggSpec> specs;
  for (const GraphOp& op : shared->ops()) {
    auto signature = std::make_shared<const Signature>(op.op->signatures()[0]);
    std::vector<Cuts> cuts;
    for (const Index& index : signature->indices) cuts.push_back(uncut(index));
    const bool contracts = specs.empty();
    const auto cut = contracts ? static_cast<size_t>(find_index(*signature, "j")) : size_t{0};
    cuts[cut] = *near_equal(signature->indices[cut], 2);
    specs.push_back(JoinAggSpec(signature, cuts));
  }
  auto plan = std::make_shared<const PhysicalPlan>(place_and_synthesise(shared, specs, 2));
  const Traits traits{.memory = memory};
  TaskGraph tasks = lower(plan, traits);
  fuse(tasks, {});
  plan_memory(tasks, traits);
  return tasks;
}

TEST(TaskGraphText, ReadsWell) {
  EXPECT_EQ(text(small_graph(Traits::Memory::private_sites)), R"(task graph 1
site 0 arena 256 workspace 0
site 1 arena 256 workspace 0
buffer 0 input site 0 f32 %0 [0:4, 0:3] offset 0
buffer 1 input site 1 f32 %0 [0:4, 3:6] offset 0
buffer 2 parameter site 0 f32 %1 [0:3, 0:2] offset 128
buffer 3 parameter site 1 f32 %1 [3:6, 0:2] offset 128
buffer 4 temporary site 0 f32 %2 [0:4, 0:2] offset 64
buffer 5 temporary site 1 f32 %2 [0:4, 0:2] offset 64
buffer 6 temporary site 0 f32 %2 [0:2, 0:2] offset 0
buffer 7 temporary site 1 f32 %2 [2:4, 0:2] offset 0
buffer 8 temporary site 0 f32 %2 [0:2, 0:2] offset 192
buffer 9 temporary site 1 f32 %2 [2:4, 0:2] offset 192
buffer 10 temporary site 0 f32 %3 [0:2, 0:2] offset 0
buffer 11 temporary site 1 f32 %3 [2:4, 0:2] offset 0
load %0 buffer 0
load %0 buffer 1
load %1 buffer 2
load %1 buffer 3
0 kernel site 0 "up" cell 0(in 0, in 1) in 0[], 2[] out 4[]
1 kernel site 1 "up" cell 1(in 0, in 1) in 1[], 3[] out 5[]
2 transfer site 0 %2 in 5[0:2, 0:2] out 6[] after 0 1
3 transfer site 1 %2 in 4[2:4, 0:2] out 7[] after 0 1
4 finalise site 0 %2 parts 2 in 4[0:2, 0:2], 6[] out 8[] after 0 2
5 finalise site 1 %2 parts 2 in 7[], 5[2:4, 0:2] out 9[] after 1 3
6 kernel site 0 "hidden" cell 0(in 0) in 8[] out 10[] after 2 4
7 kernel site 1 "hidden" cell 1(in 0) in 9[] out 11[] after 3 5
offload 0 [0:2, 0:2] from 10[] after 6
offload 0 [2:4, 0:2] from 11[] after 7
)");
}

TEST(TaskGraphText, ParsesBackToTheSameText) {
  for (Traits::Memory memory : {Traits::Memory::shared, Traits::Memory::private_sites}) {
    const TaskGraph graph = small_graph(memory);
    const TaskGraph back = parse_task_graph(text(graph), graph.plan);
    EXPECT_EQ(text(back), text(graph));
    EXPECT_EQ(back.tasks, graph.tasks);
    EXPECT_EQ(back.buffers, graph.buffers);
  }
}

TEST(TaskGraphText, MutatedTextGivesAGraphOrAnError) {
  const TaskGraph graph = small_graph(Traits::Memory::private_sites);
  const std::string whole = text(graph);
  Random random(1);
  int64_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string mutated = whole;
    for (int change = 0; change < 2; ++change) {
      const auto at =
          static_cast<size_t>(random_below(random, static_cast<int64_t>(mutated.size())));
      if (random() % 2) {
        mutated[at] = static_cast<char>(random() % 128);
      } else {
        mutated.erase(at, random() % 9);
      }
    }
    try {
      const TaskGraph back = parse_task_graph(mutated, graph.plan);
      EXPECT_EQ(text(parse_task_graph(text(back), graph.plan)), text(back));
    } catch (const PlanError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace einsummable
