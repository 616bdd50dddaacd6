// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/task_graph.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// Rows 2 to 6 and columns 10 to 13 of some tensor.
Buffer a_buffer() {
  return {.site = SiteId(0), .dtype = DType::f16, .tensor = TensorId(0), .box = {{2, 6}, {10, 13}}};
}

TEST(Buffer, KnowsItsBytes) { EXPECT_EQ(a_buffer().bytes(), 4 * 3 * 2); }

TEST(Operand, OfABoxOfItsTensor) {
  const Operand part = part_operand(BufferId(7), a_buffer(), {{3, 5}, {11, 13}});
  EXPECT_EQ(part.buffer, BufferId(7));
  EXPECT_EQ(part.region, (Box{{1, 3}, {1, 3}}));
  EXPECT_EQ(part.offset, 1 * 3 + 1);
  EXPECT_EQ(part.shape, (PerAxis{2, 2}));
  EXPECT_EQ(part.strides, (PerAxis{3, 1}));
  EXPECT_EQ(region_operand(BufferId(7), a_buffer(), {{1, 3}, {1, 3}}), part);
  EXPECT_EQ(whole_operand(BufferId(7), a_buffer()).region, (Box{{0, 4}, {0, 3}}));
  EXPECT_THROW(part_operand(BufferId(7), a_buffer(), {{0, 5}, {11, 13}}), InternalError);
}

TEST(TaskGraph, TransferredBytesAreTheReadsOfTransfers) {
  TaskGraph graph;
  graph.buffers = {a_buffer(), a_buffer()};
  Task task{
      .kind = Task::Kind::transfer, .site = SiteId(1), .reads = {}, .writes = {}, .after = {}};
  task.reads = {whole_operand(BufferId(0), graph.buffers[0]),
                part_operand(BufferId(0), graph.buffers[0], {{2, 3}, {10, 13}})};
  graph.tasks.push_back(task);
  task.kind = Task::Kind::concat;
  graph.tasks.push_back(task);
  EXPECT_EQ(transferred_bytes(graph), (12 + 3) * 2);
}

TEST(TaskGraph, CopiesAreNamed) {
  using Kind = Task::Kind;
  for (Kind kind : {Kind::slice, Kind::concat, Kind::transfer}) EXPECT_TRUE(is_copy(kind));
  for (Kind kind : {Kind::kernel, Kind::aggregate, Kind::finalise}) EXPECT_FALSE(is_copy(kind));
  EXPECT_EQ(name(Kind::finalise), "finalise");
  EXPECT_EQ(name(Buffer::Role::parameter), "parameter");
}

}  // namespace
}  // namespace einsummable
