// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/arenas.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable::cpu {
namespace {

// Two sites; at each a buffer of 2 x 3 float32 and one of 4 int64 after it, then workspace.
std::shared_ptr<TaskGraph> two_sites() {
  auto plan = std::make_shared<PhysicalPlan>();
  plan->sites = 2;
  auto graph = std::make_shared<TaskGraph>();
  graph->plan = plan;
  for (int64_t site = 0; site < 2; ++site) {
    graph->buffers.push_back(
        {.site = SiteId(site), .tensor = TensorId(0), .box = {{0, 2}, {3, 6}}, .offset = 0});
    graph->buffers.push_back({.site = SiteId(site),
                              .dtype = DType::i64,
                              .tensor = TensorId(1),
                              .box = {{0, 4}},
                              .offset = 64});
  }
  graph->memory = {{.arena = 128, .workspace = 64}, {.arena = 128, .workspace = 0}};
  return graph;
}

TEST(Arenas, BuffersLieAtTheirOffsets) {
  const auto graph = two_sites();
  const Arenas arenas(graph);
  for (int64_t site = 0; site < 2; ++site) {
    const StridedView first = arenas.view(BufferId(2 * site));
    const StridedView second = arenas.view(BufferId(2 * site + 1));
    EXPECT_EQ(second.data - first.data, 64);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data) % 64, 0u);
    EXPECT_EQ(first.dtype, DType::f32);
    EXPECT_EQ(second.dtype, DType::i64);
    EXPECT_TRUE(is_dense(first));
  }
}

TEST(Arenas, OperandsLieInTheirBuffers) {
  const auto graph = two_sites();
  const Arenas arenas(graph);
  const Operand column = part_operand(BufferId(0), graph->buffers[0], {{0, 2}, {5, 6}});
  const StridedView view = arenas.view(column);
  EXPECT_EQ(view.data - arenas.view(BufferId(0)).data, 2 * size_of(DType::f32));
  EXPECT_EQ(view.strides[0], 3);
  EXPECT_EQ(view.shape[1], 1);
}

TEST(Arenas, WorkspaceFollowsTheBuffersOfItsSite) {
  const auto graph = two_sites();
  const Arenas arenas(graph);
  EXPECT_EQ(arenas.workspace(SiteId(0)).size(), 64u);
  EXPECT_EQ(arenas.workspace(SiteId(0)).data() - arenas.view(BufferId(0)).data, 128);
  EXPECT_TRUE(arenas.workspace(SiteId(1)).empty());
}

TEST(Arenas, SitesWithoutMemoryAreFine) {
  auto graph = two_sites();
  graph->buffers.clear();
  graph->memory = {{}, {}};
  const Arenas arenas(graph);
  EXPECT_TRUE(arenas.workspace(SiteId(0)).empty());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these stop the program
TEST(Arenas, SayHowMuchTheMachineLacks) {
  auto graph = two_sites();
  graph->memory[1].arena = int64_t{1} << 60;
  try {
    const Arenas arenas(graph);
    FAIL() << "no error";
  } catch (const MemoryLimitError& error) {
    EXPECT_STREQ(error.what(),
                 "the machine has no 1152921504606846976 bytes for one of 2 virtual devices");
  }
}
#endif

}  // namespace
}  // namespace einsummable::cpu
