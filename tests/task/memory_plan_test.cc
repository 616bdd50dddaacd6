// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable {
namespace {

TaskGraph random_tasks(uint64_t seed) {
  Random random(seed);
  const Graph graph = random_graph(random, 4 + static_cast<int64_t>(seed % 12), DType::f32);
  const int64_t p = 1 + static_cast<int64_t>(seed % 8);
  Traits traits{.memory = seed % 2 ? Traits::Memory::shared : Traits::Memory::private_sites};
  if (seed % 3 == 0) traits.transfers = Traits::Transfers::dense;
  return lowered(plan_of(graph, {.p = p, .selector = Selector::random, .seed = seed}), traits);
}

// Who touches a buffer, and whether it holds data before the first task or after the last.
struct Use {
  std::vector<size_t> tasks, writers;
  bool from_start = false, to_end = false;
};

std::vector<Use> uses_of(const TaskGraph& graph) {
  std::vector<Use> uses(graph.buffers.size());
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const Operand& read : graph.tasks[t].reads) uses[read.buffer.index()].tasks.push_back(t);
    for (const Operand& write : graph.tasks[t].writes) {
      uses[write.buffer.index()].tasks.push_back(t);
      uses[write.buffer.index()].writers.push_back(t);
    }
  }
  for (const Load& load : graph.loads) {
    uses[load.buffer.index()].from_start = true;
    uses[load.buffer.index()].to_end |= graph.buffer(load.buffer).role == Buffer::Role::parameter;
  }
  for (const Offload& offload : graph.offloads) uses[offload.from.buffer.index()].to_end = true;
  return uses;
}

// Whether in every legal order all that touches `first` ends before anything writes `second`.
bool is_over_before(const Use& first, const Use& second,
                    const std::vector<std::vector<char>>& before) {
  if (first.to_end || second.from_start) return false;
  return std::ranges::all_of(second.writers, [&](size_t writer) {
    return std::ranges::all_of(first.tasks, [&](size_t task) { return before[writer][task]; });
  });
}

bool share_memory(const Buffer& a, const Buffer& b) {
  return a.site == b.site && a.offset < b.offset + b.bytes() && b.offset < a.offset + a.bytes();
}

TEST(MemoryPlan, BuffersThatMayLiveAtTheSameTimeShareNoMemory) {
  int64_t shared = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(80, 2000)); ++seed) {
    const TaskGraph graph = random_tasks(seed);
    const std::vector<Use> uses = uses_of(graph);
    const auto before = happens_before(graph);
    for (size_t a = 0; a < graph.buffers.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (!share_memory(graph.buffers[a], graph.buffers[b])) continue;
        ++shared;
        ASSERT_TRUE(is_over_before(uses[a], uses[b], before) ||
                    is_over_before(uses[b], uses[a], before))
            << "buffers " << a << " and " << b << " of seed " << seed << "\n"
            << text(graph);
      }
    }
  }
  EXPECT_GT(shared, 0);
}

TEST(MemoryPlan, BuffersAreAlignedAndInsideTheirArenas) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const TaskGraph graph = random_tasks(seed);
    for (const Buffer& buffer : graph.buffers) {
      EXPECT_EQ(buffer.offset % 64, 0);
      EXPECT_GE(buffer.offset, 0);
      EXPECT_LE(buffer.offset + buffer.bytes(), graph.memory[buffer.site.index()].arena);
    }
  }
}

// The most bytes that live at one site while the tasks run as listed, each buffer's rounded up to
// where the next may begin: no plan needs less.
int64_t live_bytes(const TaskGraph& graph, const std::vector<Use>& uses, int64_t site) {
  int64_t most = 0;
  const auto n = static_cast<int64_t>(graph.tasks.size());
  for (int64_t t = -1; t <= n; ++t) {
    int64_t bytes = 0;
    for (size_t b = 0; b < graph.buffers.size(); ++b) {
      const Use& use = uses[b];
      if (graph.buffers[b].site.value != site || (use.tasks.empty() && !use.from_start)) continue;
      const int64_t first = use.from_start ? -1 : static_cast<int64_t>(use.tasks.front());
      const int64_t last = use.to_end          ? n
                           : use.tasks.empty() ? -1
                                               : static_cast<int64_t>(use.tasks.back());
      if (first <= t && t <= last) bytes += round_up(graph.buffers[b].bytes(), 64);
    }
    most = std::max(most, bytes);
  }
  return most;
}

TEST(MemoryPlan, ArenasAreCloseToWhatLivesAtOneTime) {
  double planned = 0, bound = 0, unplanned = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(80, 2000)); ++seed) {
    const TaskGraph graph = random_tasks(seed);
    const std::vector<Use> uses = uses_of(graph);
    for (int64_t site = 0; site < graph.plan->sites; ++site) {
      const int64_t least = live_bytes(graph, uses, site);
      EXPECT_GE(graph.memory[static_cast<size_t>(site)].arena, least);
      planned += static_cast<double>(graph.memory[static_cast<size_t>(site)].arena);
      bound += static_cast<double>(least);
    }
    for (const Buffer& buffer : graph.buffers) unplanned += static_cast<double>(buffer.bytes());
  }
  printf("arenas hold %.3f of what lives at one time, %.3f of all buffers\n", planned / bound,
         planned / unplanned);
  EXPECT_LE(planned, 1.05 * bound);
}

TEST(MemoryPlan, LimitErrorsSayWhatIsNeededAndWhatWouldDo) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {1000, 1000}, "x");
  const TensorId w = graph.parameter(DType::f32, {1000, 1000}, "w");
  graph.save(graph.apply("matmul", {x, w}, {}, "product")[0], "y");
  const TaskGraph tasks = lowered(plan_of(graph, 2, {{"product", {{"i", 2}}}}), {});
  EXPECT_NO_THROW(check_memory_limit(tasks, peak_bytes(tasks)));
  try {
    check_memory_limit(tasks, 5'000'000);
    FAIL() << "no error";
  } catch (const MemoryLimitError& error) {
    EXPECT_STREQ(error.what(),
                 "the plan does not fit 5.0 MB a device on 2 devices: device 0 needs 8.0 MB "
                 "(parameters 4.0 MB, inputs 2.0 MB, activations and partial results 2.0 MB, "
                 "workspace 0 B); more devices, or a limit of 8.0 MB, would do");
  }
}

TEST(MemoryPlan, FiguresThatWouldReadTheSameAreGivenInBytes) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {1000, 1000}, "x");
  graph.save(graph.apply("relu", {x}, {}, "relu")[0], "y");
  const TaskGraph tasks = lowered(plan_of(graph, 1, {}), {});
  const int64_t peak = peak_bytes(tasks);
  try {
    check_memory_limit(tasks, peak - 1);
    FAIL() << "no error";
  } catch (const MemoryLimitError& error) {
    const std::string needs = std::to_string(peak) + " B", said = error.what();
    EXPECT_TRUE(said.starts_with("the plan does not fit " + std::to_string(peak - 1) +
                                 " B a device on 1 devices: device 0 needs " + needs))
        << said;
    EXPECT_TRUE(said.ends_with("a limit of " + needs + ", would do")) << said;
  }
}

}  // namespace
}  // namespace einsummable
