// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable {
namespace {

TaskGraph random_tasks(uint64_t seed) {
  Random random(seed);
  const Graph graph = random_graph(random, 4 + static_cast<int64_t>(seed % 10), DType::f32);
  const int64_t p = 1 + static_cast<int64_t>(seed % 6);
  const Traits traits{.memory = seed % 2 ? Traits::Memory::shared : Traits::Memory::private_sites};
  return lowered(plan_of(graph, {.p = p, .selector = Selector::random, .seed = seed}), traits);
}

// The same by a byte each of every arena.
std::set<std::pair<size_t, size_t>> takeovers_by_bytes(const TaskGraph& graph,
                                                       const Accesses& accesses) {
  std::vector<size_t> order(graph.buffers.size());
  for (size_t b = 0; b < order.size(); ++b) order[b] = b;
  std::ranges::stable_sort(order, {}, [&](size_t b) { return accesses.first_use(graph, b); });
  constexpr size_t kNobody = ~size_t{0};
  std::vector<std::vector<size_t>> owners;
  for (const SiteMemory& memory : graph.memory) {
    owners.emplace_back(static_cast<size_t>(memory.arena), kNobody);
  }
  std::set<std::pair<size_t, size_t>> out;
  for (size_t b : order) {
    const Buffer& buffer = graph.buffers[b];
    for (int64_t at = buffer.offset; at < buffer.offset + buffer.bytes(); ++at) {
      size_t& owner = owners[buffer.site.index()][static_cast<size_t>(at)];
      if (owner != kNobody) out.insert({b, owner});
      owner = b;
    }
  }
  return out;
}

TEST(Accesses, AreTheOperandsOfTasksInTheirOrder) {
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(20, 300)); ++seed) {
    const TaskGraph graph = random_tasks(seed);
    const Accesses accesses(graph);
    std::vector<std::vector<std::tuple<TaskId, bool, const Box*>>> expected(graph.buffers.size());
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const TaskId id(static_cast<int64_t>(t));
      for (const Operand& read : graph.tasks[t].reads) {
        expected[read.buffer.index()].emplace_back(id, false, &read.region);
      }
      for (const Operand& write : graph.tasks[t].writes) {
        expected[write.buffer.index()].emplace_back(id, true, &write.region);
      }
    }
    for (size_t b = 0; b < graph.buffers.size(); ++b) {
      std::vector<std::tuple<TaskId, bool, const Box*>> got;
      for (const Access& access : accesses.of(b)) {
        got.emplace_back(access.task, access.writes, access.region);
      }
      ASSERT_EQ(got, expected[b]);
    }
  }
}

// Three buffers in one place: the second is read, through an empty box, and never written.
TEST(Takeovers, PassOverWhatIsNeverFilled) {
  TaskGraph graph = random_tasks(0);
  Buffer place;
  place.site = SiteId(0);
  place.box = Box{{0, 4}};
  place.offset = 0;
  graph.buffers.assign(3, place);
  graph.memory.assign(1, {.arena = 64});
  graph.tasks.assign(3, Task());
  graph.tasks[0].writes = {whole_operand(BufferId(0), place)};
  graph.tasks[1].reads = {part_operand(BufferId(1), place, Box{{0, 0}})};
  graph.tasks[2].writes = {whole_operand(BufferId(2), place)};
  const std::vector<Takeover> found = takeovers(graph, Accesses(graph));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].buffer, 2u);
  EXPECT_EQ(found[0].from, 0u);
}

TEST(Takeovers, AreThoseOfEveryByte) {
  int64_t counted = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(40, 1000)); ++seed) {
    const TaskGraph graph = random_tasks(seed);
    const Accesses accesses(graph);
    std::set<std::pair<size_t, size_t>> got;
    for (const Takeover& takeover : takeovers(graph, accesses)) {
      got.insert({takeover.buffer, takeover.from});
    }
    ASSERT_EQ(got, takeovers_by_bytes(graph, accesses));
    counted += static_cast<int64_t>(got.size());
  }
  EXPECT_GT(counted, rounds(100, 100));
}

}  // namespace
}  // namespace einsummable
