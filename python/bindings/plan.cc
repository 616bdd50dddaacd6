// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "einsummable/base/error.h"
#include "einsummable/compile.h"
#include "einsummable/logical/explain.h"
#include "einsummable/plan.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "python/bindings/bindings.h"
#include "python/bindings/proposer.h"
#include "python/bindings/signals.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

// What Python says of how programs are made.
struct ScheduleOptions {
  std::string mode;
  int64_t budget = 0;
  double time_limit = 0;
  std::string cache_dir;
  std::optional<PythonProposer> proposer;
};

CompileOptions make_options(int64_t devices, const std::string& selector, uint64_t seed,
                            const Pins& specs, std::optional<int64_t> memory_limit, int64_t threads,
                            bool private_sites, bool numeric,
                            const std::optional<std::string>& partial_dtype,
                            const std::optional<std::string>& objective,
                            const std::optional<std::string>& topology,
                            const std::vector<int64_t>& numbers, const ScheduleOptions& schedule,
                            std::shared_ptr<Executor> executor) {
  using ScheduleMode = CompileOptions::ScheduleMode;
  const auto found = find_selector(selector);
  ensure(found.has_value(), "the front has checked the selector");
  CompileOptions out = {
      .devices = devices,
      .selector = *found,
      .seed = seed,
      .pins = specs,
      .schedule_mode = schedule.mode == "naive"    ? ScheduleMode::naive
                       : schedule.mode == "search" ? ScheduleMode::search
                                                   : ScheduleMode::ai,
      .budget = schedule.budget,
      .time_limit = schedule.time_limit,
      .cache_dir = schedule.cache_dir,
      .partial_dtype = partial_dtype ? dtype_from_name(*partial_dtype) : std::nullopt,
      .memory_limit = memory_limit,
      .threads = threads,
      .sites = private_sites ? CompileOptions::Sites::private_sites : CompileOptions::Sites::shared,
      .executor = std::move(executor),
      .verify = numeric ? CompileOptions::Verify::numeric : CompileOptions::Verify::proofs};
  if (objective) out.objective = find_objective(*objective);
  if (topology) {
    const MachineSites sites{load_machine(*topology), numbers};
    resolve(sites.machine, sites.devices);  // or it says what is wrong
    out.machine = std::make_shared<const MachineSites>(sites);
  }
  if (schedule.proposer) out.proposer = proposer_of(*schedule.proposer);
  return out;
}

// By operator, the value of every index of its spec.
template <class Value>
nb::dict by_index(const Plan& plan, const Value& value) {
  nb::dict out;
  for (size_t i = 0; i < plan.logical.ops.size(); ++i) {
    const JoinAggSpec& spec = *plan.logical.ops[i].spec;
    nb::dict indices;
    for (size_t k = 0; k < spec.cuts().size(); ++k) {
      indices[spec.signature().indices[k].name.c_str()] = value(spec.cuts()[k]);
    }
    out[plan.graph->ops()[i].name.c_str()] = indices;
  }
  return out;
}

// A share of the planned time of an alternative; none by elements.
template <double PlannedShares::*share>
std::optional<double> share_of(const Alternative& alternative) {
  return alternative.time ? std::optional((*alternative.time).*share) : std::nullopt;
}

void bind_explanation(nb::module_& module) {
  nb::class_<Alternative>(module, "Alternative",
                          "A way to cut an operator, and the best whole plan with it.")
      .def_prop_ro(
          "counts",
          [](const Alternative& a) {
            nb::dict counts;
            for (const auto& [name, count] : a.counts) counts[name.c_str()] = count;
            return counts;
          },
          nb::sig("def counts(self) -> dict[str, int]"),
          "Into how many intervals each index is cut.")
      .def_prop_ro(
          "cost", [](const Alternative& a) { return a.cost.main; },
          "Of the whole plan, in elements.")
      .def_ro("chosen", &Alternative::chosen, "Whether the best plan cuts it so.")
      .def_ro("delta", &Alternative::delta, "Elements beyond the best plan.")
      .def_ro("repartition", &Alternative::repartition, "Of the whole plan.")
      .def_ro("join", &Alternative::join, "Of the whole plan.")
      .def_ro("aggregation", &Alternative::aggregation, "Of the whole plan.")
      .def_prop_ro("ms", &share_of<&PlannedShares::total>,
                   "What the whole plan is estimated to take, by time; else none.")
      .def_prop_ro("more_ms", &share_of<&PlannedShares::more>, "Beyond the best plan.")
      .def_prop_ro("exchange_ms", &share_of<&PlannedShares::exchange>, "Of the whole plan.")
      .def_prop_ro("kernel_ms", &share_of<&PlannedShares::kernel>, "Of the whole plan.")
      .def_ro("lost_by", &Alternative::lost_by, "The share that grew most; empty if none did.");
  nb::class_<Explanation>(module, "Explanation",
                          "Why an operator is cut as it is; `str` gives a table.")
      .def_ro("op", &Explanation::op, "Its name.")
      .def_ro("reason", &Explanation::reason, "Why not p cells, or not the usual signature.")
      .def_ro("alternatives", &Explanation::alternatives, "The best first.")
      .def("__str__",
           [](const Explanation& explanation) {
             const std::string all = text(explanation);
             return all.substr(0, all.find_last_not_of('\n') + 1);
           })
      .def("__repr__", [](const Explanation& e) { return "<explanation of " + e.op + ">"; });
}

Explanation explain_op(const Plan& plan, const CompileOptions& given, const std::string& op) {
  return interruptible_with(
      given, [&](const CompileOptions& options) { return explain(plan, options, op); });
}

std::vector<ExchangeReport> exchanges_of(const Plan& plan, const CompileOptions& given) {
  return interruptible_with(
      given, [&](const CompileOptions& options) { return report_exchanges(plan, options); });
}

std::vector<SimulatedTask> simulated_tasks_of(const Plan& plan, const CompileOptions& given) {
  return interruptible_with(
      given, [&](const CompileOptions& options) { return simulate_call(plan, options); });
}

void bind_exchanges(nb::module_& module) {
  nb::class_<ExchangeReport>(module, "ExchangeReport",
                             "What one exchange moves, and how near it is to the least time.")
      .def_ro("op", &ExchangeReport::op, "The operator that it comes before, or the saved tensor.")
      .def_ro("save", &ExchangeReport::save, "Whether it is a saved tensor.")
      .def_ro("bytes", &ExchangeReport::bytes, "That are received, over all devices.")
      .def_ro("merges", &ExchangeReport::merges, "Of partial results, or of pieces of them.")
      .def_ro("ms", &ExchangeReport::ms, "What its program takes alone, simulated.")
      .def_ro("bound_ms", &ExchangeReport::bound_ms, "What every program takes at least.")
      .def_prop_ro("gap", &ExchangeReport::gap,
                   "ms / bound_ms - 1; 0 if both are 0, none if only the bound is.")
      .def_ro("proof", &ExchangeReport::proof, "Of the bound, in words.")
      .def("__repr__", [](const ExchangeReport& e) { return "<exchange before " + e.op + ">"; });
  module.def("exchanges", &exchanges_of, nb::arg("plan"), nb::arg("options"));
  nb::class_<SimulatedTask>(module, "SimulatedTask", "One task of a call that is simulated.")
      .def_ro("span", &SimulatedTask::span, "What it does and when; of a transfer, who receives.")
      .def_prop_ro(
          "source",
          [](const SimulatedTask& task) {
            return task.source < 0 ? std::nullopt : std::optional(task.source);
          },
          "Of a transfer, the device that sends; else none.")
      .def_ro("bytes", &SimulatedTask::bytes, "Of a transfer.");
  module.def("simulate_call", &simulated_tasks_of, nb::arg("plan"), nb::arg("options"));
}

void bind_plan_class(nb::module_& module) {
  nb::class_<ScheduleOptions>(module, "ScheduleOptions")
      .def(nb::new_([](std::string mode, int64_t budget, double time_limit, std::string cache_dir,
                       std::optional<PythonProposer> proposer) {
             return ScheduleOptions{std::move(mode), budget, time_limit, std::move(cache_dir),
                                    std::move(proposer)};
           }),
           nb::kw_only(), nb::arg("mode"), nb::arg("budget"), nb::arg("time_limit"),
           nb::arg("cache_dir"), nb::arg("proposer").none());
  nb::class_<CompileOptions>(module, "CompileOptions")
      .def(nb::new_(&make_options), nb::kw_only(), nb::arg("devices"), nb::arg("selector"),
           nb::arg("seed"), nb::arg("specs"), nb::arg("memory_limit").none(), nb::arg("threads"),
           nb::arg("private_sites"), nb::arg("numeric"), nb::arg("partial_dtype").none(),
           nb::arg("objective").none(), nb::arg("topology").none(), nb::arg("numbers"),
           nb::arg("schedule"), nb::arg("executor").none());
  nb::class_<Plan>(module, "Plan")
      .def_prop_ro("graph", [](const Plan& plan) { return Graph(*plan.graph); })
      .def_prop_ro("devices", [](const Plan& plan) { return plan.logical.p; })
      .def_prop_ro(
          "partial_dtype",
          [](const Plan& plan) {
            const auto& dtype = plan.physical->partial_dtype;
            return dtype ? std::optional(long_name(*dtype)) : std::nullopt;
          },
          "In which float sums travel; none if as their operators state.")
      .def_prop_ro("selector", [](const Plan& plan) { return name_of(plan.logical.selector); })
      .def_prop_ro("cost", [](const Plan& plan) { return plan.logical.cost.main; })
      .def_prop_ro(
          "bound",
          [](const Plan& plan) {
            const auto& bound = plan.logical.bound;
            return bound ? std::optional(bound->main) : std::nullopt;
          },
          "What every plan costs at least; none if the selector proves nothing.")
      .def_prop_ro("width", [](const Plan& plan) { return plan.logical.width; })
      .def_prop_ro("exact", [](const Plan& plan) { return plan.logical.exact(); })
      .def_prop_ro(
          "specs", [](const Plan& plan) { return by_index(plan, count_of); },
          nb::sig("def specs(self) -> dict[str, dict[str, int]]"))
      .def_prop_ro(
          "cuts",
          [](const Plan& plan) {
            return by_index(plan, [](const Cuts& cuts) { return nb::cast(cuts); });
          },
          nb::sig("def cuts(self) -> dict[str, dict[str, list[int]]]"))
      .def_prop_ro(
          "cut_short", [](const Plan& plan) { return plan.physical->search.cut_short; },
          "Whether the time limit cut the search for programs short.")
      .def_prop_ro(
          "warning", [](const Plan& plan) { return plan.physical->search.warning; },
          "Why the proposer was not asked to the end; empty if it was.")
      .def("text", [](const Plan& plan) { return plan_file(plan); })
      .def("table", [](const Plan& plan) { return table(plan.logical, *plan.graph); });
}

}  // namespace

void bind_plan(nb::module_& module) {
  bind_explanation(module);
  bind_exchanges(module);
  bind_plan_class(module);
  module.def(
      "make_plan",
      [](const Graph& graph, const CompileOptions& options) {
        return planned_with(graph, options, [](auto planned, const CompileOptions& mine) {
          return make_plan(std::move(planned), mine);
        });
      },
      nb::arg("graph"), nb::arg("options"));
  module.def(
      "parse_plan", [](const std::string& source) { return parse_plan_file(source); },
      nb::arg("source"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "predict",
      [](const Plan& plan, const CompileOptions& options) {
        const Prediction out = predict(plan, options);
        return std::pair(out.planned, out.simulated);
      },
      nb::arg("plan"), nb::arg("options"), nb::call_guard<nb::gil_scoped_release>());
  module.def("options_of", &options_of, nb::arg("plan"));
  module.def("check_plan_of", &require_plan_of, nb::arg("plan"), nb::arg("graph"));
  module.def("explain", &explain_op, nb::arg("plan"), nb::arg("options"), nb::arg("op"));
  module.def("selectors", [] {
    std::vector<std::string_view> out;
    for (Selector s : {Selector::optimal, Selector::paper, Selector::greedy, Selector::random}) {
      out.push_back(name_of(s));
    }
    return out;
  });
}

}  // namespace einsummable
