// SPDX-License-Identifier: Apache-2.0
#include "einsummable/memory_search.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "einsummable/base/error.h"
#include "einsummable/compile.h"
#include "einsummable/logical/time_optimizer.h"
#include "einsummable/logical/time_problem.h"
#include "einsummable/task/memory_plan.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/task_graphs.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

// Products with parameters, elementwise operators and residual sums.
class RandomNetwork {
 public:
  explicit RandomNetwork(Random& random) : random_(random) {}

  Graph make(int64_t ops) {
    made_ = {graph_.input(DType::f32, {extent(), extent()}, "x")};
    while (static_cast<int64_t>(graph_.ops().size()) < ops) made_.push_back(next());
    graph_.save(made_.back(), "y");
    return std::move(graph_);
  }

 private:
  int64_t extent() {
    static constexpr std::array<int64_t, 5> extents = {16, 24, 32, 48, 64};
    return extents[static_cast<size_t>(random_below(random_, 5))];
  }
  TensorId next() {
    const TensorId last = made_.back();
    const TensorId other =
        made_[static_cast<size_t>(random_below(random_, static_cast<int64_t>(made_.size())))];
    const Shape shape = graph_.type(last).shape(), like = graph_.type(other).shape();
    const int64_t kind = random_below(random_, 4);
    if (kind == 0) return graph_.apply("relu", {last})[0];
    if (kind == 1 && other != last && like == shape) {
      return graph_.apply("add", {last, other})[0];
    }
    const int64_t columns = random_below(random_, 2) ? like[1] : extent();
    return graph_.apply("matmul", {last, graph_.parameter(DType::f32, {shape[1], columns})})[0];
  }

  Random& random_;
  Graph graph_;
  std::vector<TensorId> made_;
};

PlacedPlan placed(const std::shared_ptr<const Graph>& graph, const LogicalPlan& logical,
                  const Traits& traits) {
  auto plan = std::make_shared<const PhysicalPlan>(
      place_and_synthesise(graph, specs_of(logical), logical.p));
  return {{graph, logical, plan}, std::make_shared<const TaskGraph>(lowered(plan, traits))};
}

double combinations(const Candidates& candidates) {
  double product = 1;
  for (size_t i = 0; i < candidates.graph().ops().size(); ++i) {
    product *= static_cast<double>(candidates.of(OpId(static_cast<int64_t>(i))).all.size());
  }
  return product;
}

struct Measured {
  int64_t cost, peak;
};

// Every plan there is; `cost` is asked of each.
template <class CostOf>
std::vector<Measured> all_plans(const std::shared_ptr<const Graph>& graph,
                                const Candidates& candidates, const Traits& traits,
                                const CostOf& cost_of_plan) {
  std::vector<Measured> out;
  Choice choice{.pick = std::vector<uint32_t>(graph->ops().size(), 0), .cost = {}, .bound = {}};
  const std::function<void(size_t)> choose = [&](size_t i) {
    if (i == choice.pick.size()) {
      choice.cost = cost_of(candidates, choice.pick);
      const PlacedPlan plan = placed(graph, plan_of(candidates, choice), traits);
      out.push_back({cost_of_plan(plan.plan.logical), peak_bytes(*plan.tasks)});
      return;
    }
    const size_t count = candidates.of(OpId(static_cast<int64_t>(i))).all.size();
    for (choice.pick[i] = 0; choice.pick[i] < count; ++choice.pick[i]) choose(i + 1);
    choice.pick[i] = 0;
  };
  choose(0);
  return out;
}

std::optional<int64_t> least_cost(const std::vector<Measured>& plans, int64_t limit) {
  std::optional<int64_t> best;
  for (const Measured& plan : plans) {
    if (plan.peak <= limit && (!best || plan.cost < *best)) best = plan.cost;
  }
  return best;
}

TEST(MemorySearch, EqualsBruteForceOnSmallGraphs) {
  Random random(1);
  int searches = 0, found = 0;
  for (int round = 0; round < rounds(40, 400); ++round) {
    const int64_t ops = 1 + random_below(random, 5);
    const auto graph = planned_graph(round % 2 == 0 ? RandomNetwork(random).make(ops)
                                                    : random_graph(random, ops, DType::f32));
    const int64_t p = 2 + random_below(random, 3);
    const Traits traits{
        .memory = random_below(random, 2) ? Traits::Memory::shared : Traits::Memory::private_sites,
        .alignment = 4};
    const Candidates candidates(*graph, p, {}, communication_proxy());
    if (combinations(candidates) > rounds(1000, 3000)) continue;
    const std::vector<Measured> all = all_plans(
        graph, candidates, traits, [](const LogicalPlan& plan) { return plan.cost.main; });
    const PlacedPlan first = placed(graph, optimise(*graph, {.p = p}), traits);
    const int64_t peak = peak_bytes(*first.tasks);
    for (int64_t step = 1; step <= 8; ++step) {
      const MemorySearch search{
          .limit = peak * step / 10 + peak / 10,
          .logical = {.p = p},
          .lower = [&](const LogicalPlan& plan,
                       std::optional<DType>) { return placed(graph, plan, traits); },
          .memory = traits.memory};
      const std::optional<int64_t> best = least_cost(all, search.limit);
      ++searches;
      try {
        const PlacedPlan plan = find_fitting(graph, first, search);
        ++found;
        EXPECT_LE(peak_bytes(*plan.tasks), search.limit);
        ASSERT_TRUE(best);
        EXPECT_EQ(plan.plan.logical.cost.main, *best)
            << text(*graph) << "p = " << p << ", limit " << search.limit << " of " << peak;
        EXPECT_NO_THROW(verify(plan.plan.logical, *graph));
      } catch (const MemoryLimitError& error) {
        EXPECT_FALSE(best) << error.what() << text(*graph) << "limit " << search.limit;
      }
    }
  }
  printf("%d searches, a plan found in %d\n", searches, found);
  EXPECT_GT(found, searches < 100 ? -1 : searches / 20);
}

TEST(MemoryLoop, EqualsBruteForceOverPlannedTimes) {
  Random random(3);
  int searches = 0, found = 0;
  for (int round = 0; round < rounds(30, 300); ++round) {
    const auto graph = planned_graph(RandomNetwork(random).make(1 + random_below(random, 4)));
    const int64_t p = 2 + random_below(random, 3);
    const Traits traits{.memory = Traits::Memory::private_sites, .alignment = 4};
    const Topology topology = switched(p, 10);
    TimeModel model(topology);
    const Candidates candidates(*graph, p, {}, communication_proxy(), Offer::divisors);
    if (combinations(candidates) > rounds(700, 3000)) continue;
    const auto time = [&](const LogicalPlan& plan) {
      return planned_time(*graph, specs_of(plan), model).total;
    };
    const std::vector<Measured> all = all_plans(graph, candidates, traits, time);
    const PlacedPlan first =
        placed(graph, plan_of(candidates, choose_fastest(candidates, model, 10'000, 1)[0]), traits);
    const PricedProblem problem(candidates, time_problem(candidates, model), {},
                                PricedProblem::Merging::at_one_site);
    const MemoryLoop::Lower lower = [&](const LogicalPlan& plan) {
      return placed(graph, plan, traits);
    };
    const int64_t peak = peak_bytes(*first.tasks);
    for (int64_t step = 1; step <= 8; ++step) {
      const int64_t limit = peak * step / 10 + peak / 10;
      const std::optional<int64_t> best = least_cost(all, limit);
      MemoryLoop loop(candidates, problem, limit, 10'000, lower);
      loop.run(first);
      ++searches;
      ASSERT_EQ(!loop.fitting().empty(), best.has_value()) << text(*graph) << "limit " << limit;
      if (!best) continue;
      ++found;
      EXPECT_LE(peak_bytes(*loop.fitting().back().tasks), limit);
      EXPECT_EQ(time(loop.fitting().back().plan.logical), *best)
          << text(*graph) << "p = " << p << ", limit " << limit << " of " << peak;
    }
  }
  printf("%d searches, a plan found in %d\n", searches, found);
  EXPECT_GT(found, searches < 100 ? -1 : searches / 20);
}

struct Sweep {
  int fits = 0, refused = 0;
};

// 40 limits; fewer where rounds are.
int steps_of_a_sweep() { return rounds(40, 40); }

// Compiles with limits from 0.2 to 1.1 of the unlimited peak, the largest first.
Sweep sweep(const Graph& graph, CompileOptions options) {
  Sweep out;
  const int64_t peak = make_lowered(graph, options).peak_bytes();
  int64_t cost = 0;
  const int64_t steps = steps_of_a_sweep();
  for (int64_t step = steps; step-- > 0;) {
    const int64_t limit = peak / 5 + peak * 9 * step / (10 * (steps - 1));
    options.memory_limit = limit;
    try {
      const LoweredPlan plan = make_lowered(graph, options);
      EXPECT_LE(plan.peak_bytes(), limit);
      EXPECT_TRUE(plan.report.ok());
      EXPECT_NO_THROW(verify(plan.plan.logical, *plan.plan.graph));
      ++out.fits;
      if (options.objective == Objective::time) continue;
      EXPECT_GE(plan.plan.logical.cost.main, cost) << "limit " << limit << " of " << peak;
      EXPECT_EQ(out.refused, 0) << "limit " << limit << " of " << peak;
      cost = plan.plan.logical.cost.main;
    } catch (const MemoryLimitError&) {
      EXPECT_LT(limit, peak);
      ++out.refused;
    }
  }
  EXPECT_EQ(out.fits + out.refused, steps);
  return out;
}

Graph small_block(int64_t layers = 1, DType dtype = DType::f32) {
  return workloads::llama({.layers = layers,
                           .seq = 64,
                           .d_model = 64,
                           .heads = 8,
                           .kv_heads = 4,
                           .head_dim = 8,
                           .d_ff = 192,
                           .dtype = dtype});
}

constexpr auto kPrivate = CompileOptions::Sites::private_sites;

TEST(MemorySearch, EveryLimitOfASweepIsMetOrRefusedAndLessMemoryCostsNoLess) {
  Random random(2);
  EXPECT_GT(sweep(workloads::ffn(256, 64, 256, DType::f32),
                  {.devices = 4, .objective = kProxy, .schedule_mode = kNaive})
                .fits,
            steps_of_a_sweep() / 8);
  EXPECT_GT(sweep(workloads::ffn(64, 256, 512, DType::f32),
                  {.devices = 4, .objective = kProxy, .schedule_mode = kNaive, .sites = kPrivate})
                .fits,
            steps_of_a_sweep() / 8);
  EXPECT_GT(sweep(small_block(), {.devices = 4, .objective = kProxy, .schedule_mode = kNaive}).fits,
            steps_of_a_sweep() / 5);
  EXPECT_GT(sweep(small_block(),
                  {.devices = 3, .objective = kProxy, .schedule_mode = kNaive, .sites = kPrivate})
                .fits,
            steps_of_a_sweep() / 8);
  for (int round = 0; round < rounds(2, 20); ++round) {
    sweep(RandomNetwork(random).make(5),
          {.devices = 2 + round % 3, .objective = kProxy, .schedule_mode = kNaive});
  }
}

TEST(MemorySearch, LayersMayBeCutInTwoWays) {
  const Graph graph = workloads::llama({.layers = 8, .seq = 131072});
  const CompileOptions options{
      .devices = 8, .objective = kProxy, .schedule_mode = kNaive, .sites = kPrivate};
  const LoweredPlan free = make_lowered(graph, options);
  std::vector<int64_t> costs;
  for (int64_t percent : {95, 85, 75}) {
    CompileOptions limited = options;
    limited.memory_limit = free.peak_bytes() * percent / 100;
    const LoweredPlan plan = make_lowered(graph, limited);
    EXPECT_LE(plan.peak_bytes(), *limited.memory_limit);
    costs.push_back(plan.plan.logical.cost.main);
  }
  EXPECT_LT(free.plan.logical.cost.main, costs[0]);
  EXPECT_LT(costs[0], costs[1]);
  EXPECT_LT(costs[1], costs[2]);
}

TEST(MemorySearch, PlansByTimeAndSearchedProgramsFitAsWell) {
  CompileOptions options{
      .devices = 4, .objective = kProxy, .schedule_mode = kNaive, .sites = kPrivate};
  options.topology =
      std::make_shared<const Topology>(resolve_first(load_machine("dgx-v100"), options.devices));
  options.objective = Objective::time;
  const Sweep naive = sweep(workloads::ffn(64, 256, 512, DType::f16), options);
  options.schedule_mode = CompileOptions::ScheduleMode::search;
  const Sweep searched = sweep(workloads::ffn(64, 256, 512, DType::f16), options);
  options.objective = kProxy;
  sweep(workloads::ffn(64, 256, 512, DType::f16), options);
  printf("fits: %d naive, %d searched\n", naive.fits, searched.fits);
}

TEST(MemorySearch, RepeatsItself) {
  const Graph graph = small_block();
  CompileOptions options{.devices = 4, .objective = kProxy, .schedule_mode = kNaive};
  options.memory_limit = make_lowered(graph, options).peak_bytes() * 9 / 10;
  const std::string once = plan_file(make_plan(graph, options));
  EXPECT_EQ(once, plan_file(make_plan(graph, options)));
  EXPECT_EQ(once, plan_file(make_lowered(graph, options).plan));
}

std::string refusal(const Graph& graph, const CompileOptions& options) {
  try {
    make_plan(graph, options);
  } catch (const MemoryLimitError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MemorySearch, TheErrorSaysWhatIsNeededForWhatAndWhatWouldFit) {
  const Graph graph = workloads::ffn(256, 64, 256, DType::f32);
  EXPECT_EQ(
      refusal(
          graph,
          {.devices = 4, .objective = kProxy, .schedule_mode = kNaive, .memory_limit = 150'000}),
      "no plan was found that fits 150000 B a device on 4 devices: of 108 measured the one "
      "of least memory needs 181696 B on device 0 (parameters 32768 B, inputs 65536 B, "
      "activations and partial results 65536 B, workspace 17856 B); a limit of 181696 B "
      "would do, or 8 devices, which need 140160 B each");
  EXPECT_NO_THROW(make_plan(
      graph,
      {.devices = 4, .objective = kProxy, .schedule_mode = kNaive, .memory_limit = 181'696}));
  EXPECT_NO_THROW(make_plan(
      graph,
      {.devices = 8, .objective = kProxy, .schedule_mode = kNaive, .memory_limit = 150'000}));
  const std::string zero = refusal(
      graph, {.devices = 4, .objective = kProxy, .schedule_mode = kNaive, .memory_limit = 0});
  EXPECT_TRUE(zero.ends_with("a limit of 181696 B would do")) << zero;
}

TEST(MemorySearch, TheErrorNamesAPartialDtypeThatHelps) {
  Graph graph;
  const TensorId x = graph.input(DType::f16, {64, 4096}, "x");
  const TensorId w = graph.parameter(DType::f16, {4096, 512}, "w");
  graph.save(graph.apply("matmul", {x, w}, {}, "product")[0], "y");
  CompileOptions options{.devices = 4,
                         .pins = {{"product", {{"j", 4}}}},
                         .objective = kProxy,
                         .schedule_mode = kNaive,
                         .memory_limit = 1000};
  options.sites = kPrivate;
  const std::string said = refusal(graph, options);
  const std::string head = "; with partial_dtype float16 that plan needs ";
  ASSERT_NE(said.find(head), std::string::npos) << said;
  options.partial_dtype = DType::f16;
  const std::string narrow = refusal(graph, options);
  const size_t at = said.find(head) + head.size();
  const std::string amount = said.substr(at);
  EXPECT_NE(narrow.find("a limit of " + amount + " would do"), std::string::npos) << narrow;
}

TEST(MemorySearch, OtherSelectorsAreCheckedOnly) {
  const Graph graph = workloads::ffn(256, 64, 256, DType::f32);
  const CompileOptions options{.devices = 4, .selector = Selector::greedy, .memory_limit = 150'000};
  const std::string said = refusal(graph, options);
  EXPECT_TRUE(said.starts_with("the plan does not fit 150000 B a device on 4 devices")) << said;
}

TEST(MemorySearch, APlanForAMachineIsMeasuredWithItsMemory) {
  const Graph graph = workloads::ffn(64, 256, 512, DType::f32);
  CompileOptions options{.devices = 4, .objective = kProxy, .schedule_mode = kNaive};
  options.topology =
      std::make_shared<const Topology>(resolve_first(load_machine("dgx-a100"), options.devices));
  CompileOptions there = options;
  there.sites = kPrivate;
  const int64_t peak = make_lowered(graph, there).peak_bytes();
  ASSERT_LT(make_lowered(graph, options).peak_bytes(), peak);
  options.memory_limit = peak - 1;
  const Plan plan = make_plan(graph, options);
  there.memory_limit = peak - 1;
  EXPECT_EQ(plan_file(plan), plan_file(make_lowered(graph, there).plan));
}

TEST(MemorySearch, StopsWhenAsked) {
  const Graph graph = small_block(4);
  CompileOptions options{
      .devices = 8, .objective = kProxy, .schedule_mode = kNaive, .memory_limit = 1};
  int asked = 0;
  options.interruption = Interruption([&] { return ++asked > 3; });
  EXPECT_THROW(make_plan(graph, options), Error);
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace einsummable
