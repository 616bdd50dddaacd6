// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/verify.h"

#include <chrono>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

template <class Work>
bool run_check(VerifyReport& report, std::string name, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  Check check{.name = std::move(name)};
  work(check);
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.checks.push_back(std::move(check));
  return report.checks.back().detail.empty();
}

}  // namespace

VerifyReport examine(const PhysicalPlan& plan, const Interruption& interruption) {
  VerifyReport report;
  run_check(report, "tiling", [&](Check& check) { check_tiling(plan, check, interruption); });
  run_check(report, "closure", [&](Check& check) { check_closure(plan, check, interruption); });
  return report;
}

VerifyReport examine(const TaskGraph& graph, const Traits& traits,
                     const Interruption& interruption) {
  VerifyReport report = examine(*graph.plan, interruption);
  const bool in_place = run_check(
      report, "memory", [&](Check& check) { check_memory(graph, traits, check, interruption); });
  if (!in_place) return report;
  const Accesses accesses(graph);
  run_check(report, "single_assignment",
            [&](Check& check) { check_single_assignment(graph, accesses, check, interruption); });
  run_check(report, "races",
            [&](Check& check) { check_races(graph, accesses, check, interruption); });
  run_check(report, "provenance",
            [&](Check& check) { check_provenance(graph, check, interruption); });
  return report;
}

VerifyReport verify(const TaskGraph& graph, const Traits& traits,
                    const Interruption& interruption) {
  VerifyReport report = examine(graph, traits, interruption);
  for (const Check& check : report.checks) {
    ensure(check.detail.empty(), "verification, " + check.name + ": " + check.detail);
  }
  return report;
}

std::string describe(const TaskGraph& graph, TaskId task) {
  const Task& of = graph.task(task);
  std::string what = std::string(name(of.kind));
  for (const KernelStep& step : of.steps) what += " " + quote(graph.graph().op(step.op).name);
  if (of.kind != Task::Kind::kernel) {
    what += " of " + quote(graph.graph().tensor(of.tensor).name);
  }
  return "task " + std::to_string(task.value) + " (" + what + " at site " +
         std::to_string(of.site.value) + ")";
}

}  // namespace einsummable
