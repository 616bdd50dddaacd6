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
  tasks.tasks[2].tensor = TensorId(0);
  return tasks;
}

TEST(Profile, SumsTasksOfOneKindAndPutsTheLongestFirst) {
  const TaskTime times[] = {{0, 2, false}, {0, 0.5, false}, {0, 1, false}, {0, 3, false}};
  EXPECT_EQ(
      profile(small_graph(), times),
      (std::vector<ProfileLine>{
          {"matmul", false, 2, 5}, {"transfer", false, 1, 1}, {"silu multiply", false, 1, 0.5}}));
}

TEST(Profile, KeepsReferencesApart) {
  const TaskTime times[] = {{0, 2, false}, {0, 0.5, false}, {0, 1, false}, {0, 3, true}};
  const auto lines = profile(small_graph(), times);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], (ProfileLine{"matmul", true, 1, 3}));
  EXPECT_EQ(lines[1], (ProfileLine{"matmul", false, 1, 2}));
}

TEST(Profile, SpansSayWhatRanWhereAndWhen) {
  const TaskGraph graph = small_graph();
  const TaskTime times[] = {{0, 2, false}, {2, 0.5, false}, {2.5, 1, false}, {4, 3, false}};
  const std::vector<Span> all = spans(graph, times);
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].start, times[i].start);
    EXPECT_EQ(all[i].seconds, times[i].seconds);
    EXPECT_EQ(all[i].site, graph.tasks[i].site.value);
    EXPECT_FALSE(all[i].work.empty());
  }
}

}  // namespace
}  // namespace einsummable
