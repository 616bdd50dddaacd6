// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/cpu_executor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "einsummable/base/error.h"
#include "einsummable/physical/pieces.h"
#include "einsummable/task/verify.h"
#include "tests/support/execution.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"

namespace einsummable::cpu {
namespace {

using Memories = std::vector<Memory>;

std::shared_ptr<const PhysicalPlan> random_plan(uint64_t seed, DType dtype = DType::f32) {
  Random random(seed);
  const Graph graph = random_graph(random, 4 + static_cast<int64_t>(seed % 10), dtype);
  const int64_t p = 1 + static_cast<int64_t>(seed % 8);
  const Selector selector = seed % 2 ? Selector::random : Selector::optimal;
  const Schedule schedule = seed / 2 % 2 ? searched_for(p, seed) : Schedule();
  return plan_of(graph, {.p = p, .selector = selector, .seed = seed}, schedule);
}

std::map<TensorId, Array64> values_of(const PhysicalPlan& plan) {
  Random random(17);
  return random_values(random, *plan.graph);
}

// Runs the plan as `traits`, with what the executor says of workspace, have it lowered.
Memories run_as(const std::shared_ptr<const PhysicalPlan>& plan, Traits traits, int64_t threads = 2,
                Fusing fusing = Fusing::on) {
  CpuExecutor executor({.threads = threads, .memory = traits.memory});
  traits.workspace = executor.traits().workspace;
  const auto graph = std::make_shared<const TaskGraph>(lowered(plan, traits, fusing));
  verify(*graph, traits);
  const auto execution = executor.prepare(graph);
  return run(*execution, *plan->graph, values_of(*plan));
}

constexpr auto kShared = Traits::Memory::shared;
constexpr auto kPrivate = Traits::Memory::private_sites;

TEST(CpuExecutor, PrivateSitesCopyTheBytesOfTheExchangePrograms) {
  int64_t all = 0, cut = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(60, 1000)); ++seed) {
    const auto plan = random_plan(seed, seed % 3 ? DType::f32 : DType::f16);
    int64_t bytes = 0;
    for (const ExchangeStep& step : plan->steps) {
      const StepInPieces pieces(step);
      for (const Derivation& derivation : step.derivations) {
        if (derivation.source.valid()) bytes += pieces->program.bytes(derivation.aggregate);
      }
      cut += std::ssize(step.program.splits());
    }
    for (auto transfers : {Traits::Transfers::strided, Traits::Transfers::dense}) {
      const TaskGraph graph = lowered(plan, {.memory = kPrivate, .transfers = transfers});
      EXPECT_EQ(transferred_bytes(graph), bytes) << "seed " << seed;
    }
    EXPECT_EQ(transferred_bytes(lowered(plan, {})), 0) << "shared memory is handed over";
    all += bytes;
  }
  EXPECT_GT(all, 0);
  EXPECT_GT(cut, 0);
}

std::string refusal(const TaskGraph& graph) {
  try {
    require_private(graph);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(CpuExecutor, PrivateMeansPrivate) {
  int64_t refused = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(30, 500)); ++seed) {
    const auto plan = random_plan(seed);
    const TaskGraph graph = lowered(plan, {.memory = kPrivate});
    EXPECT_EQ(refusal(graph), "");
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const Task& task = graph.tasks[t];
      const SiteId other((task.site.value + 1) % std::max<int64_t>(2, plan->sites));
      TaskGraph forced = graph;
      forced.tasks[t].site = other;
      EXPECT_NE(refusal(forced), "") << "task " << t << " writes another site";
      if (task.kind == Task::Kind::transfer || task.reads.empty()) continue;
      forced = graph;
      Buffer elsewhere = graph.buffer(task.reads[0].buffer);
      elsewhere.site = other;
      forced.buffers.push_back(elsewhere);
      forced.tasks[t].reads[0].buffer = BufferId(std::ssize(forced.buffers) - 1);
      EXPECT_NE(refusal(forced).find("reads the memory of a site that is not its own"),
                std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(CpuExecutor, RefusesToPrepareATaskThatReadsAnotherSite) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4}, "x");
  graph.save(graph.apply("relu", {x}, {}, "relu")[0], "y");
  CpuExecutor isolated({.threads = 1, .memory = kPrivate});
  auto tasks = lowered(plan_of(graph, 2, {{"relu", {{"i0", 2}}}}), isolated.traits());
  ASSERT_EQ(tasks.tasks.size(), 2u);
  tasks.tasks[0].reads[0].buffer = tasks.tasks[1].reads[0].buffer;
  const auto forced = std::make_shared<const TaskGraph>(tasks);
  EXPECT_THROW(isolated.prepare(forced), InternalError);
  CpuExecutor shared({.threads = 1, .memory = kShared});
  EXPECT_NO_THROW(shared.prepare(forced));
}

// Fusing runs of elementwise operators changes no bit: steps round as single kernels do.
TEST(CpuExecutor, FusingKeepsTheBits) {
  int64_t fused = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(60, 1000)); ++seed) {
    const DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64};
    const auto plan = random_plan(seed, dtypes[seed % 4]);
    EXPECT_EQ(hash_of(run_as(plan, {}, 2, Fusing::on)), hash_of(run_as(plan, {}, 2, Fusing::off)))
        << "seed " << seed;
    for (const Task& task : lowered(plan, {}).tasks) fused += task.steps.size() > 1;
  }
  EXPECT_GT(fused, 0);
}

// An executor whose transfers need dense ends: parts are packed and unpacked around them.
TEST(CpuExecutor, DenseTransfersGiveTheSameBits) {
  int64_t packed = 0, unpacked = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(rounds(60, 1000)); ++seed) {
    const auto plan = random_plan(seed);
    const Traits dense{.memory = kPrivate, .transfers = Traits::Transfers::dense};
    EXPECT_EQ(hash_of(run_as(plan, dense)), hash_of(run_as(plan, {.memory = kPrivate})))
        << "seed " << seed;
    const TaskGraph graph = lowered(plan, dense);
    for (const Task& task : graph.tasks) {
      if (task.kind != Task::Kind::transfer) continue;
      for (const auto* operands : {&task.reads, &task.writes}) {
        for (const Operand& operand : *operands) {
          EXPECT_TRUE(operand.strides == row_major_strides(box_of(operand.shape)) ||
                      elements(operand.shape) <= 1);
        }
      }
    }
    packed += count(graph, Task::Kind::slice);
    unpacked += count(graph, Task::Kind::concat);
  }
  EXPECT_GT(packed, 0);
  EXPECT_GT(unpacked, 0);
}

TEST(CpuExecutor, BufferReuseShowsNothingOfEarlierRuns) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto plan = random_plan(seed);
    CpuExecutor executor({.threads = 2, .memory = kShared});
    const auto execution =
        executor.prepare(std::make_shared<const TaskGraph>(lowered(plan, executor.traits())));
    const uint64_t first = hash_of(run(*execution, *plan->graph, values_of(*plan)));
    Random random(99);
    run(*execution, *plan->graph, random_values(random, *plan->graph));
    EXPECT_EQ(hash_of(run(*execution, *plan->graph, values_of(*plan))), first);
  }
}

// One hash for the results of several plans, however they are run.
uint64_t output_hash(int64_t threads, Traits::Memory memory) {
  uint64_t hash = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const DType dtypes[] = {DType::f32, DType::f64, DType::bf16};
    const auto plan = random_plan(seed + 3, dtypes[seed % 3]);
    hash = hash * 31 + hash_of(run_as(plan, {.memory = memory}, threads));
  }
  return hash;
}

// Prints the hash for another process to compare; not a test of its own.
TEST(OutputHash, DISABLED_Print) {
  printf("hash %llx\n", static_cast<unsigned long long>(output_hash(3, kPrivate)));
}

std::string hash_of_another_process() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  FILE* other = popen(("exec '" + self +
                       "' --gtest_also_run_disabled_tests --gtest_filter=OutputHash.DISABLED_Print")
                          .c_str(),
                      "r");
  std::string out;
  for (int c = fgetc(other); c != EOF; c = fgetc(other)) out.push_back(static_cast<char>(c));
  EXPECT_EQ(pclose(other), 0);
  return out;
}

TEST(OutputHash, IsOneOverThreadsSitesRunsAndProcesses) {
  std::set<uint64_t> hashes;
  for (int64_t threads : {1, 2, 4}) {
    for (Traits::Memory memory : {kShared, kPrivate}) hashes.insert(output_hash(threads, memory));
  }
  hashes.insert(output_hash(4, kShared));
  ASSERT_EQ(hashes.size(), 1u);
  char expected[32];
  snprintf(expected, sizeof expected, "hash %llx\n",
           static_cast<unsigned long long>(*hashes.begin()));
  EXPECT_NE(hash_of_another_process().find(expected), std::string::npos) << expected;
}

}  // namespace
}  // namespace einsummable::cpu
