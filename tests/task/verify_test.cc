// SPDX-License-Identifier: Apache-2.0
// Verification against an independent oracle: a mutant of a sound task graph for which some order
// of tasks gives another result must be rejected.
#include "einsummable/task/verify.h"

#include <gtest/gtest.h>

#include <array>

#include "einsummable/logical/optimise.h"
#include "einsummable/physical/planner.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"
#include "einsummable/task/verify_checks.h"
#include "tests/support/plans.h"
#include "tests/support/provenance_oracle.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

TaskGraph lowered(const Graph& graph, int64_t p, const Traits& traits, uint64_t seed) {
  const auto plan = plan_of(graph, {.p = p, .selector = Selector::random, .seed = seed},
                            seed % 2 ? searched_for(p, seed) : Schedule());
  TaskGraph tasks = lower(plan, traits);
  Traits fusing = traits;
  if (seed % 3 == 0) fusing.epilogue = [](const TaskGraph&, const Task&) { return true; };
  fuse(tasks, fusing);
  plan_memory(tasks, traits);
  return tasks;
}

std::vector<int64_t> in_list_order(const TaskGraph& graph) {
  std::vector<int64_t> priority;
  for (size_t t = 0; t < graph.tasks.size(); ++t) priority.push_back(static_cast<int64_t>(t));
  return priority;
}

// Whether some order gives another result: as listed, in reverse, random ones, and each task around
// the mutation as early and as late as it may run.
bool gives_other_result(const TaskGraph& mutant, const std::vector<uint64_t>& expected,
                        std::vector<TaskId> around, Random& random) {
  const auto differs = [&](const std::vector<int64_t>& priority) {
    const std::vector<TaskId> order = order_by(mutant, priority);
    return order.size() != mutant.tasks.size() || run_symbolically(mutant, order) != expected;
  };
  std::vector<int64_t> priority = in_list_order(mutant);
  if (differs(priority)) return true;
  for (int64_t& value : priority) value = -value;
  if (differs(priority)) return true;
  for (int order = 0; order < 2; ++order) {
    for (int64_t& value : priority) value = random_below(random, 1'000'000);
    if (differs(priority)) return true;
  }
  for (TaskId task : around) {
    for (int64_t end : {-1, 1'000'000'000}) {
      priority = in_list_order(mutant);
      priority[task.index()] = end;
      if (differs(priority)) return true;
    }
  }
  return false;
}

TaskId random_task(const TaskGraph& graph, Random& random) {
  return TaskId(random_below(random, static_cast<int64_t>(graph.tasks.size())));
}

// A mutation changes the graph and names the tasks around it; false where the graph has nothing to
// mutate so.
using Mutation = bool (*)(TaskGraph& graph, Random& random, std::vector<TaskId>& around);

bool drop_dependency(TaskGraph& graph, Random& random, std::vector<TaskId>& around) {
  const TaskId id = random_task(graph, random);
  std::vector<TaskId>& after = graph.tasks[id.index()].after;
  if (after.empty()) return false;
  const auto which = random_below(random, static_cast<int64_t>(after.size()));
  around = {id, after[static_cast<size_t>(which)]};
  after.erase(after.begin() + which);
  return true;
}

bool swap_operand(TaskGraph& graph, Random& random, std::vector<TaskId>& around) {
  const TaskId id = random_task(graph, random), from = random_task(graph, random);
  Task& task = graph.tasks[id.index()];
  const Task& other = graph.tasks[from.index()];
  if (task.reads.empty() || other.reads.empty()) return false;
  Operand& read = task.reads[static_cast<size_t>(
      random_below(random, static_cast<int64_t>(task.reads.size())))];
  const Operand& instead = other.reads[static_cast<size_t>(
      random_below(random, static_cast<int64_t>(other.reads.size())))];
  if (read == instead || read.shape != instead.shape) return false;
  read = instead;
  around = {id};
  return true;
}

bool repeat_partial(TaskGraph& graph, Random& random, std::vector<TaskId>& around) {
  const TaskId id = random_task(graph, random);
  Task& task = graph.tasks[id.index()];
  if (task.parts < 2) return false;
  const size_t components = task.reads.size() / static_cast<size_t>(task.parts);
  const auto a = static_cast<size_t>(random_below(random, task.parts));
  const auto b = static_cast<size_t>(random_below(random, task.parts));
  if (a == b) return false;
  for (size_t c = 0; c < components; ++c) {
    task.reads[a * components + c] = task.reads[b * components + c];
  }
  around = {id};
  return true;
}

bool overlap_buffer(TaskGraph& graph, Random& random, std::vector<TaskId>& around) {
  const auto n = static_cast<int64_t>(graph.buffers.size());
  Buffer& buffer = graph.buffers[static_cast<size_t>(random_below(random, n))];
  const Buffer& other = graph.buffers[static_cast<size_t>(random_below(random, n))];
  if (buffer.site != other.site || buffer.offset == other.offset) return false;
  if (other.offset + buffer.bytes() > graph.memory[buffer.site.index()].arena) return false;
  buffer.offset = other.offset;
  around = {};
  return true;
}

bool shift_box(TaskGraph& graph, Random& random, std::vector<TaskId>& around) {
  const TaskId id = random_task(graph, random);
  Task& task = graph.tasks[id.index()];
  auto& operands = random_below(random, 2) == 0 || task.reads.empty() ? task.writes : task.reads;
  Operand& operand =
      operands[static_cast<size_t>(random_below(random, static_cast<int64_t>(operands.size())))];
  const Buffer& buffer = graph.buffer(operand.buffer);
  if (operand.region.empty()) return false;
  const auto axis =
      static_cast<size_t>(random_below(random, static_cast<int64_t>(operand.region.size())));
  const int64_t by = random_below(random, 2) ? 1 : -1;
  Interval& at = operand.region[axis];
  if (at.lo + by < 0 || at.hi + by > buffer.box[axis].length()) return false;
  at = {at.lo + by, at.hi + by};
  operand.offset += by * row_major_strides(shape_of(buffer.box))[axis];
  around = {id};
  return true;
}

struct Kind {
  const char* name;
  Mutation mutate;
  int64_t made = 0, equivalent = 0, killed = 0;
};

TEST(Verify, RejectsEveryMutantThatCanGoWrong) {
  std::array<Kind, 5> kinds = {{{"drop a dependency", drop_dependency},
                                {"swap an operand", swap_operand},
                                {"repeat a partial", repeat_partial},
                                {"overlap a buffer", overlap_buffer},
                                {"shift a box", shift_box}}};
  const int64_t wanted = rounds(100, 1000) < 100 ? 20 : rounds(100, 1000);
  const auto counted = [](const Kind& kind) { return kind.made - kind.equivalent; };
  for (uint64_t round = 0;; ++round) {
    if (std::ranges::all_of(kinds, [&](const Kind& kind) { return counted(kind) >= wanted; }))
      break;
    ASSERT_LT(round, 4000u) << "too few mutants counted";
    Random random(round);
    const std::array<int64_t, 4> counts = {2, 3, 5, 8};
    Traits traits{.memory = round % 2 ? Traits::Memory::shared : Traits::Memory::private_sites};
    if (round % 4 == 0) traits.transfers = Traits::Transfers::dense;
    const TaskGraph graph =
        lowered(random_graph(random, 6, DType::f64), counts[round % 4], traits, round);
    if (graph.tasks.empty()) continue;
    const auto expected = run_symbolically(graph, order_by(graph, in_list_order(graph)));
    ASSERT_TRUE(examine(graph, traits).ok());
    ASSERT_FALSE(gives_other_result(graph, expected, {}, random)) << text(graph);
    for (Kind& kind : kinds) {
      for (int attempt = 0; attempt < 6 && counted(kind) < wanted; ++attempt) {
        TaskGraph mutant = graph;
        std::vector<TaskId> around;
        if (!kind.mutate(mutant, random, around)) continue;
        ++kind.made;
        const bool rejected = !examine(mutant, traits).ok();
        if (!gives_other_result(mutant, expected, around, random)) {
          ++kind.equivalent;
        } else {
          kind.killed += rejected;
          EXPECT_TRUE(rejected) << kind.name << ", round " << round << "\n" << text(mutant);
          if (!rejected) return;
        }
      }
    }
  }
  for (const Kind& kind : kinds) {
    printf("%-18s made %lld, equivalent %lld, killed %lld\n", kind.name,
           static_cast<long long>(kind.made), static_cast<long long>(kind.equivalent),
           static_cast<long long>(kind.killed));
  }
}

TEST(Verify, RejectsOperandsOfOtherRegionsAndTasksAtSitesWithoutMemory) {
  Graph y;
  const TensorId x = y.input(DType::f64, {4, 6}, "x");
  y.save(y.apply("relu", {x}, {}, "y")[0], "y");
  const Traits traits{.memory = Traits::Memory::private_sites};
  const TaskGraph sound = lowered(y, 3, traits, 5);
  const auto failure = [&](const auto& change) {
    TaskGraph graph = sound;
    change(graph);
    const VerifyReport report = examine(graph, traits);
    return report.checks.back().name + ": " + report.checks.back().detail;
  };
  EXPECT_EQ(failure([](TaskGraph& graph) { graph.offloads[0].from.region[0] = {}; }),
            "memory: offload 0: an operand's region does not hold its elements");
  EXPECT_EQ(failure([](TaskGraph& graph) {
              graph.views.push_back({.op = OpId(0), .site = SiteId(0), .input = {}, .output = {}});
            }),
            "memory: view " + std::to_string(sound.views.size()) + ": there is no buffer -1");
  EXPECT_EQ(
      failure([](TaskGraph& graph) { graph.tasks[0].site = SiteId(3); }), "memory: " + [&] {
        TaskGraph graph = sound;
        graph.tasks[0].site = SiteId(3);
        return describe(graph, TaskId(0));
      }() + " is at a site without memory");
}

}  // namespace
}  // namespace einsummable
