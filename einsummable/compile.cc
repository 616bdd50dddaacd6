// SPDX-License-Identifier: Apache-2.0
#include "einsummable/compile.h"

#include <chrono>
#include <cmath>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/executor/cpu/cpu_executor.h"
#include "einsummable/memory_search.h"
#include "einsummable/physical/planner.h"
#include "einsummable/synthesis/cache.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/resolve.h"

namespace einsummable {
namespace {

// Adds the seconds a piece of work takes to `total`, and gives its result.
template <class Work>
auto timed(double& total, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  total += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

using ScheduleMode = CompileOptions::ScheduleMode;

void check_options(const CompileOptions& options) {
  if (options.devices < 1) {
    throw DeviceError("devices must be at least 1, not " + std::to_string(options.devices));
  }
  check_processors(options.devices);
  if (options.threads < 0) {
    throw DeviceError("threads must be at least 0, not " + std::to_string(options.threads));
  }
  if (options.budget < 0) {
    throw PlanError("budget must be at least 0, not " + std::to_string(options.budget));
  }
  if (!(options.time_limit >= 0)) throw PlanError("time_limit must be at least 0 seconds");
  if (options.schedule_mode == ScheduleMode::ai && !options.proposer) {
    throw PlanError("schedule_mode ai needs a proposer");
  }
  if (options.partial_dtype && !is_float(*options.partial_dtype)) {
    throw PlanError("partial_dtype is float32, float64, float16 or bfloat16, not " +
                    std::string(long_name(*options.partial_dtype)));
  }
}

void check_partial_dtype(const PhysicalPlan& plan, const CompileOptions& options) {
  const auto& asked = options.partial_dtype;
  if (!asked || asked == plan.partial_dtype) return;
  const std::string_view has =
      plan.partial_dtype ? long_name(*plan.partial_dtype) : "that of the operators";
  throw PlanError("partial_dtype: the plan has " + std::string(has) + ", not " +
                  std::string(long_name(*asked)));
}

// The machine that times are of; null where there is but a topology.
std::shared_ptr<const MachineSites> machine_of(const CompileOptions& options, int64_t sites) {
  if (options.machine || options.topology) return options.machine;
  MachineSites here{load_machine("cpu"), {}};
  here.machine.compute->workers = cpu::threads_of({}, sites);  // whatever runs it: bits stay
  for (int64_t site = 0; site < sites; ++site) here.devices.push_back(site);
  return std::make_shared<const MachineSites>(std::move(here));
}

std::shared_ptr<const Topology> topology_of(const CompileOptions& options, int64_t sites) {
  auto topology = options.topology;
  if (!topology) {
    const auto machine = machine_of(options, sites);
    topology = std::make_shared<const Topology>(resolve(machine->machine, machine->devices));
  }
  if (topology->sites() == sites) return topology;
  throw DeviceError("the plan is for " + std::to_string(sites) + " devices, the topology of " +
                    topology->name + " for " + std::to_string(topology->sites()));
}

// The options with the machine that they stand for, read once; and resolved once, where a plan
// depends on it.
CompileOptions resolved(CompileOptions options) {
  options.machine = machine_of(options, options.devices);
  if (objective_of(options) == Objective::time || options.schedule_mode != ScheduleMode::naive) {
    options.topology = topology_of(options, options.devices);
  }
  return options;
}

// What the options say of programs for so many sites, kept in `cache`.
Schedule schedule_of(const CompileOptions& options, int64_t sites, synthesis::ProgramCache& cache) {
  if (options.schedule_mode == ScheduleMode::naive) return {};
  Schedule schedule{.topology = topology_of(options, sites),
                    .search = {.seed = options.seed,
                               .budget = options.budget,
                               .cache = &cache,
                               .interruption = options.interruption}};
  if (std::isfinite(options.time_limit)) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> limit(std::min(options.time_limit, 1e9));
    schedule.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  }
  if (options.schedule_mode == ScheduleMode::ai) {
    schedule.search.proposer = options.proposer;
    const auto machine = machine_of(options, sites);
    if (machine) schedule.search.machine = print(machine->machine);
  }
  return schedule;
}

LogicalOptions logical_options(const CompileOptions& options) {
  return {.p = options.devices,
          .selector = options.selector,
          .seed = options.seed,
          .pins = options.pins,
          .interruption = options.interruption};
}

LogicalPlan logical_plan(const std::shared_ptr<const Graph>& graph, const CompileOptions& options,
                         Schedule schedule, StageTimes& times) {
  const LogicalOptions logical = logical_options(options);
  if (objective_of(options) == Objective::proxy) {
    return timed(times.choice, [&] { return optimise(*graph, logical); });
  }
  if (options.selector != Selector::optimal) {
    throw PlanError("objective time is for the selector optimal, not for " +
                    std::string(name_of(options.selector)));
  }
  schedule.search.proposer = {};  // which is asked once a plan is found
  FastestPlan fastest =
      find_fastest(graph, logical, *topology_of(options, options.devices),
                   {.partial_dtype = options.partial_dtype, .schedule = std::move(schedule)});
  times.choice += fastest.choice_seconds;
  return std::move(fastest.plan);
}

PhysicalOptions physical_options(const CompileOptions& options, const Schedule& schedule) {
  return {.partial_dtype = options.partial_dtype,
          .schedule = schedule,
          .interruption = options.interruption};
}

std::shared_ptr<const PhysicalPlan> physical_plan(const std::shared_ptr<const Graph>& graph,
                                                  const LogicalPlan& logical,
                                                  const PhysicalOptions& options) {
  const std::vector<JoinAggSpec> specs = specs_of(logical);
  const bool late = std::chrono::steady_clock::now() > options.schedule.deadline;
  PhysicalPlan plan = options.schedule.topology
                          ? place_for_time(graph, specs, options)
                          : place_and_synthesise(graph, specs, logical.p, options);
  plan.search.cut_short |= late;  // as the plan may have been chosen by programs that were
  return std::make_shared<const PhysicalPlan>(std::move(plan));
}

Plan make_plan_timed(std::shared_ptr<const Graph> graph, const CompileOptions& options,
                     const Schedule& schedule, StageTimes& times) {
  LogicalPlan logical =
      timed(times.logical, [&] { return logical_plan(graph, options, schedule, times); });
  auto physical = timed(times.physical, [&] {
    return physical_plan(graph, logical, physical_options(options, schedule));
  });
  return {.graph = std::move(graph),
          .logical = std::move(logical),
          .physical = std::move(physical),
          .objective = objective_of(options),
          .machine = machine_of(options, options.devices)};
}

std::shared_ptr<Executor> executor_of(const CompileOptions& options) {
  if (options.executor) return options.executor;
  const bool shared = options.sites == CompileOptions::Sites::shared;
  return std::make_shared<cpu::CpuExecutor>(
      cpu::CpuOptions{.threads = options.threads,
                      .memory = shared ? Traits::Memory::shared : Traits::Memory::private_sites});
}

// What the executor can do. Where results are compared with those of a program that keeps every
// tensor, no kernel may leave out a rounding: no epilogues.
Traits traits_of(const CompileOptions& options) {
  Traits traits = executor_of(options)->traits();
  if (options.verify == CompileOptions::Verify::numeric) traits.epilogue = {};
  return traits;
}

std::shared_ptr<const TaskGraph> tasks_of(std::shared_ptr<const PhysicalPlan> plan,
                                          const Traits& traits, const CompileOptions& options) {
  auto tasks = std::make_shared<TaskGraph>(lower(std::move(plan), traits, options.interruption));
  fuse(*tasks, traits, options.interruption);
  plan_memory(*tasks, traits, options.interruption);
  return tasks;
}

PlacedPlan placed(const std::shared_ptr<const Graph>& graph, const LogicalPlan& logical,
                  const PhysicalOptions& physical, const Traits& traits,
                  const CompileOptions& options) {
  auto plan = physical_plan(graph, logical, physical);
  return {{.graph = graph,
           .logical = logical,
           .physical = plan,
           .objective = objective_of(options),
           .machine = machine_of(options, logical.p)},
          tasks_of(plan, traits, options)};
}

// What is enough while plans are looked for: few simulations, no proposer; on many sites, where
// programs take seconds each, naive ones.
Schedule quickly(Schedule schedule, int64_t sites) {
  constexpr int64_t most = 16;
  if (sites > most) return {};
  schedule.search.proposer = {};
  schedule.search.budget = std::min(schedule.search.budget, TimeSearch{}.ranking_budget);
  return schedule;
}

// The plan, if it fits the limit of the options; else the best one found that does, if the selector
// looks for the best.
PlacedPlan within_limit(PlacedPlan first, const CompileOptions& options, const Schedule& schedule,
                        const Traits& traits) {
  if (!options.memory_limit || peak_bytes(*first.tasks) <= *options.memory_limit) return first;
  if (options.selector != Selector::optimal) {
    check_memory_limit(*first.tasks, *options.memory_limit);
  }
  const Schedule quick = quickly(schedule, options.devices);
  const bool fastest = objective_of(options) == Objective::time;
  const auto topology = fastest ? topology_of(options, options.devices) : nullptr;
  const std::shared_ptr<const Graph> graph = first.plan.graph;
  const auto lower = [&](const LogicalPlan& plan, std::optional<DType> partial_dtype) {
    PhysicalOptions physical = physical_options(options, quick);
    physical.partial_dtype = partial_dtype;
    if (plan.p != options.devices) physical.schedule = {};
    return placed(graph, plan, physical, traits, options);
  };
  PlacedPlan found = find_fitting(graph, first,
                                  {.limit = *options.memory_limit,
                                   .logical = logical_options(options),
                                   .partial_dtype = options.partial_dtype,
                                   .lower = lower,
                                   .memory = traits.memory,
                                   .topology = topology.get(),
                                   .schedule = quick});
  if (options.schedule_mode == ScheduleMode::naive) return found;
  PlacedPlan searched =
      placed(graph, found.plan.logical, physical_options(options, schedule), traits, options);
  return peak_bytes(*searched.tasks) <= *options.memory_limit ? searched : found;
}

LoweredPlan verified(PlacedPlan placed, const CompileOptions& options, StageTimes times) {
  const Traits traits = traits_of(options);
  VerifyReport report = timed(times.verification,
                              [&] { return verify(*placed.tasks, traits, options.interruption); });
  return {std::move(placed.plan), std::move(placed.tasks), std::move(report), times};
}

// What a plan that nothing runs yet is measured for: the executor, whose sites share no memory
// where those of the topology share none.
Traits planned_traits(const CompileOptions& options) {
  Traits traits = traits_of(options);
  if (!topology_of(options, options.devices)->handover) {
    traits.memory = Traits::Memory::private_sites;
  }
  return traits;
}

std::unique_ptr<NumericCheck> numeric_check(const std::shared_ptr<const PhysicalPlan>& plan,
                                            const CompileOptions& options) {
  if (options.verify != CompileOptions::Verify::numeric) return nullptr;
  auto all = keeping_all(*plan);
  const Traits traits = traits_of(options);
  const auto tasks = tasks_of(all, traits, options);
  verify(*tasks, traits, options.interruption);
  return std::make_unique<NumericCheck>(plan, std::move(all),
                                        executor_of(options)->prepare(tasks, options.interruption));
}

std::unique_ptr<Executable> prepare_timed(LoweredPlan lowered, const CompileOptions& options) {
  double& seconds = lowered.times.preparation;
  auto execution = timed(
      seconds, [&] { return executor_of(options)->prepare(lowered.tasks, options.interruption); });
  auto numeric = timed(seconds, [&] { return numeric_check(lowered.plan.physical, options); });
  return std::make_unique<Executable>(std::move(lowered), std::move(execution), std::move(numeric));
}

}  // namespace

Objective objective_of(const CompileOptions& options) {
  if (options.objective) return *options.objective;
  return options.selector == Selector::optimal ? Objective::time : Objective::proxy;
}

CompileOptions options_of(const Plan& plan) {
  return {.devices = plan.physical->sites,
          .selector = plan.logical.selector,
          .objective = plan.objective,
          .machine = plan.machine,
          .partial_dtype = plan.physical->partial_dtype};
}

std::shared_ptr<const Graph> planned_graph(const Graph& graph, const Interruption& interruption) {
  verify(graph, interruption);
  return std::make_shared<const Graph>(prune(graph, interruption));
}

Plan make_plan(std::shared_ptr<const Graph> graph, const CompileOptions& given) {
  check_options(given);
  const CompileOptions options = resolved(given);
  synthesis::ProgramCache cache(options.cache_dir);
  const Schedule schedule = schedule_of(options, options.devices, cache);
  StageTimes times;
  Plan plan = make_plan_timed(std::move(graph), options, schedule, times);
  if (!options.memory_limit) return plan;
  const Traits traits = planned_traits(options);
  auto tasks = tasks_of(plan.physical, traits, options);
  return within_limit({std::move(plan), std::move(tasks)}, options, schedule, traits).plan;
}

Plan make_plan(const Graph& graph, const CompileOptions& options) {
  return make_plan(planned_graph(graph, options.interruption), options);
}

LoweredPlan make_lowered(std::shared_ptr<const Graph> graph, const CompileOptions& given) {
  check_options(given);
  const CompileOptions options = resolved(given);
  synthesis::ProgramCache cache(options.cache_dir);
  const Schedule schedule = schedule_of(options, options.devices, cache);
  StageTimes times;
  Plan plan = make_plan_timed(std::move(graph), options, schedule, times);
  const Traits traits = traits_of(options);
  PlacedPlan placed = timed(times.lowering, [&] {
    auto tasks = tasks_of(plan.physical, traits, options);
    return within_limit({std::move(plan), std::move(tasks)}, options, schedule, traits);
  });
  return verified(std::move(placed), options, times);
}

LoweredPlan make_lowered(const Graph& graph, const CompileOptions& options) {
  return make_lowered(planned_graph(graph, options.interruption), options);
}

std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph,
                                    const CompileOptions& options) {
  return prepare_timed(make_lowered(std::move(graph), options), options);
}

std::unique_ptr<Executable> compile(const Graph& graph, const CompileOptions& options) {
  return compile(planned_graph(graph, options.interruption), options);
}

std::unique_ptr<Executable> compile(Plan plan, const CompileOptions& options) {
  check_options(options);
  check_partial_dtype(*plan.physical, options);
  StageTimes times;
  auto tasks =
      timed(times.lowering, [&] { return tasks_of(plan.physical, traits_of(options), options); });
  if (options.memory_limit) check_memory_limit(*tasks, *options.memory_limit);
  return prepare_timed(verified({std::move(plan), std::move(tasks)}, options, times), options);
}

Explanation explain(const Plan& plan, const CompileOptions& options, std::string_view op) {
  const LogicalOptions logical = logical_options(options);
  if (plan.objective == Objective::proxy) {
    return explain(*plan.graph, plan.logical, logical, op);
  }
  const auto topology = topology_of(options, options.devices);
  TimeModel model(*topology, options.partial_dtype);
  return explain(*plan.graph, plan.logical, logical, op, &model);
}

Prediction predict(const Plan& plan, const CompileOptions& options) {
  const int64_t sites = plan.physical->sites;
  synthesis::ProgramCache cache(options.cache_dir);
  return predict(*plan.physical, *topology_of(options, sites), schedule_of(options, sites, cache));
}

std::vector<ExchangeReport> report_exchanges(const Plan& plan, const CompileOptions& options) {
  const PhysicalPlan& physical = *plan.physical;
  return report_exchanges(physical, *topology_of(options, physical.sites), options.interruption);
}

std::vector<SimulatedTask> simulate_call(const Plan& plan, const CompileOptions& options) {
  const PhysicalPlan& physical = *plan.physical;
  return simulate_call(physical, *topology_of(options, physical.sites), options.interruption);
}

}  // namespace einsummable
