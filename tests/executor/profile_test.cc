// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/profile.h"

#include <gtest/gtest.h>

namespace einsummable {
namespace {

Task kernel(std::initializer_list<int64_t> ops) {
  Task task;
  for (int64_t op : ops) task.steps.emplace_back().op = OpId(op);
  return task;
}

// matmul, silu and multiply of one block, then a transfer.
TaskGraph small_graph() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4, 4}, "x");
  const TensorId y = graph.apply("matmul", {x, x})[0];
  graph.save(graph.apply("multiply", {graph.apply("silu", {y})[0], y})[0]);
  PhysicalPlan plan;
  plan.graph = std::make_shared<const Graph>(std::move(graph));
  TaskGraph tasks;
  tasks.plan = std::make_shared<const PhysicalPlan>(std::move(plan));
  tasks.tasks = {kernel({0}), kernel({1, 2}), Task(), kernel({0})};
  tasks.tasks[2].kind = Task::Kind::transfer;
  return tasks;
}

TEST(Profile, SumsTasksOfOneKindAndPutsTheLongestFirst) {
  const TaskTime times[] = {{2, false}, {0.5, false}, {1, false}, {3, false}};
  EXPECT_EQ(
      profile(small_graph(), times),
      (std::vector<ProfileLine>{
          {"matmul", false, 2, 5}, {"transfer", false, 1, 1}, {"silu multiply", false, 1, 0.5}}));
}

TEST(Profile, KeepsReferencesApart) {
  const TaskTime times[] = {{2, false}, {0.5, false}, {1, false}, {3, true}};
  const auto lines = profile(small_graph(), times);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], (ProfileLine{"matmul", true, 1, 3}));
  EXPECT_EQ(lines[1], (ProfileLine{"matmul", false, 1, 2}));
}

}  // namespace
}  // namespace einsummable
