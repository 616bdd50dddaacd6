// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "einsummable/executable.h"
#include "einsummable/logical/explain.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/physical/exchange_report.h"
#include "einsummable/plan.h"
#include "einsummable/prediction.h"
#include "einsummable/simulated_call.h"

namespace einsummable {

// What a plan is made for, and how it is run.
struct CompileOptions {
  int64_t devices = 1;  // p
  Selector selector = Selector::optimal;
  uint64_t seed = 0;  // of Selector::random
  Pins pins = {};     // operator -> index -> count
  // None: see objective_of(). By time the selector is `optimal`.
  std::optional<Objective> objective = {};
  // What times are predicted on, and programs made for: as many sites as `devices`. None: the
  // machine "cpu", with as many workers as cores, however many threads there are.
  std::shared_ptr<const MachineSites> machine = {};
  // The same, where it is not one that a machine file can say.
  std::shared_ptr<const Topology> topology = {};
  // How exchange programs are made (Section 5): as the naive ones; searched for, to be fast on the
  // topology; or that, and a proposer asked as well.
  enum class ScheduleMode : uint8_t { naive, search, ai } schedule_mode = ScheduleMode::search;
  int64_t budget = 200;  // simulations a program at most
  // Seconds after which the search for programs is cut short, which then depend on it.
  double time_limit = std::numeric_limits<double>::infinity();
  std::string cache_dir = {};         // where programs are kept in files; none: they are not
  synthesis::Proposer proposer = {};  // of ScheduleMode::ai
  // The dtype in which float sums travel until they are complete: float64 makes sums more exact,
  // float16 and bfloat16 halve the bytes of those in float32. None: as the operators state, which
  // is at least float32.
  std::optional<DType> partial_dtype = {};
  std::optional<int64_t> memory_limit = {};  // bytes a device
  int64_t threads = 0;                       // at most one a device; 0: no more than cores
  enum class Sites : uint8_t { shared, private_sites } sites = Sites::shared;
  // What runs it, on as many devices as `devices`; then `threads` and `sites` are not read. None:
  // virtual CPU devices.
  std::shared_ptr<Executor> executor = {};
  // The proofs of `task/verify.h` alone, which every compilation makes; or also a NumericCheck of
  // every call, in the memory of a second program that keeps every tensor, beyond peak_bytes.
  enum class Verify : uint8_t { proofs, numeric } verify = Verify::proofs;
  Interruption interruption = {};  // of planning and compiling
};

// The objective asked for; if none is, time for the selector `optimal`, and the proxy for others.
Objective objective_of(const CompileOptions& options);

// What a plan was made with, as far as its file holds that.
CompileOptions options_of(const Plan& plan);

// What is planned of a graph: it is checked, and without operators that no saved tensor needs. A
// copy, so that the graph may change while it is planned. Throws GraphError.
std::shared_ptr<const Graph> planned_graph(const Graph& graph,
                                           const Interruption& interruption = {});

// Plans a graph: logical optimisation (Section 4), then placement and exchange programs (Section
// 5). Throws GraphError, PlanError. Here and below, the overload with a pointer takes what
// `planned_graph` gives.
Plan make_plan(std::shared_ptr<const Graph> graph, const CompileOptions& options);
Plan make_plan(const Graph& graph, const CompileOptions& options);

// The ms that a call of the plan is predicted to take on the topology of the options. Throws
// DeviceError where that has another number of sites than the plan, TopologyError where it has no
// way between two of them.
Prediction predict(const Plan& plan, const CompileOptions& options);

// What each exchange of the plan moves and takes on the topology of the options. Throws as predict.
std::vector<ExchangeReport> report_exchanges(const Plan& plan, const CompileOptions& options);

// Every task of the call that is predicted, all layers among them. Throws as predict.
std::vector<SimulatedTask> simulate_call(const Plan& plan, const CompileOptions& options);

// Why an operator of the plan is cut as it is, in the objective of the plan. Throws PlanError if
// there is no operator of that name.
Explanation explain(const Plan& plan, const CompileOptions& options, std::string_view op);

// Compiles as far as no memory is bound: plan, lower, verify. Throws Error of every kind.
LoweredPlan make_lowered(std::shared_ptr<const Graph> graph, const CompileOptions& options);
LoweredPlan make_lowered(const Graph& graph, const CompileOptions& options);

// Compiles for the executor of the options: plan, lower, verify, prepare. The overload with a plan
// runs that plan, whose partial_dtype the options must repeat or leave out. Throws Error of every
// kind; what it returns has been verified.
std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph,
                                    const CompileOptions& options);
std::unique_ptr<Executable> compile(const Graph& graph, const CompileOptions& options);
std::unique_ptr<Executable> compile(Plan plan, const CompileOptions& options);

}  // namespace einsummable
