// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/walk.h"

#include "einsummable/einsummable.h"
#include "einsummable/logical/explain.h"
#include "einsummable/physical/text.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"

namespace einsummable {
namespace {

// 4 tokens, d_model 2, d_ff 6.
Graph network() {
  Graph g;
  const TensorId x = g.input(DType::f32, {4, 2}, "x");
  const TensorId w1 = g.parameter(DType::f32, {2, 6}, "w1");
  const TensorId w2 = g.parameter(DType::f32, {6, 2}, "w2");
  const TensorId up = g.apply("matmul", {x, w1}, {}, "up")[0];
  const TensorId h = g.apply("relu", {up}, {}, "h")[0];
  g.save(g.apply("matmul", {h, w2}, {}, "down")[0], "y");
  return g;
}

std::string specs_text(const Plan& plan) {
  std::string out;
  for (size_t i = 0; i < plan.logical.ops.size(); ++i) {
    const JoinAggSpec& spec = *plan.logical.ops[i].spec;
    out += plan.graph->ops()[i].name + ": " + text(spec.signature()) + "\n" + text(spec);
  }
  return out;
}

std::string report_text(const VerifyReport& report) {
  std::string out;
  for (const Check& check : report.checks) {
    out += check.name + std::string(20 - check.name.size(), ' ') + std::to_string(check.count) +
           (check.detail.empty() ? "" : " " + check.detail) + "\n";
  }
  return out;
}

TaskGraph lowered(const Plan& plan, const Traits& traits) {
  TaskGraph tasks = lower(plan.physical, traits);
  fuse_elementwise(tasks);
  plan_memory(tasks, traits);
  return tasks;
}

}  // namespace

std::map<std::string, std::string> walk() {
  const Graph graph = network();
  const CompileOptions options{.devices = 2,
                               .objective = Objective::proxy,
                               .schedule_mode = CompileOptions::ScheduleMode::naive};
  const Plan plan = make_plan(graph, options);
  const Traits traits{.memory = Traits::Memory::private_sites};
  const TaskGraph tasks = lowered(plan, traits);

  CompileOptions pinned = options;
  pinned.pins = {{"up", {{"k", 2}}}, {"h", {{"i1", 2}}}, {"down", {{"i", 2}}}};
  const Plan other = make_plan(graph, pinned);
  return {
      {"computed: graph", text(graph)},
      {"computed: plan", table(plan.logical, *plan.graph)},
      {"computed: specs", specs_text(plan)},
      {"computed: explain", text(explain(*plan.graph, {.p = 2}, "down"))},
      {"computed: physical", text(*plan.physical)},
      {"computed: tasks", text(tasks)},
      {"computed: report", report_text(verify(tasks, traits))},
      {"computed: pinned physical", text(*other.physical)},
  };
}

}  // namespace einsummable
