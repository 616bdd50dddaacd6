// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/walk.h"

#include <sstream>

#include "einsummable/einsummable.h"
#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/source.h"
#include "einsummable/executor/cuda/task_nodes.h"
#include "einsummable/logical/explain.h"
#include "einsummable/physical/text.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"
#include "tests/support/cuda_twin/twin.h"

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
  fuse(tasks, traits);
  plan_memory(tasks, traits);
  return tasks;
}

std::string after_text(const cuda_twin::Recorded& node) {
  std::string out;
  for (cuda::Node before : node.after) out += " " + std::to_string(before - 1);
  return node.after.empty() ? "" : " after" + out;
}

// One line a node of a CUDA graph, numbered from 0 as tasks are.
std::string node_text(const cuda_twin::Recorded& node) {
  if (const auto* kernel = std::get_if<cuda_twin::Recorded::Kernel>(&node.work)) {
    return "kernel on device " + std::to_string(kernel->launch.device) + ", " +
           std::to_string(kernel->launch.blocks) + " block of " +
           std::to_string(kernel->launch.threads) + " threads" + after_text(node);
  }
  if (const auto* copy = std::get_if<cuda::Copy>(&node.work)) {
    return "copy from device " + std::to_string(copy->from_device) + " to device " +
           std::to_string(copy->to_device) + ", " + std::to_string(copy->bytes) + " bytes" +
           after_text(node);
  }
  const auto& product = std::get<cuda::Product>(node.work);
  return "product on device " + std::to_string(product.device) + ", " + std::to_string(product.m) +
         " x " + std::to_string(product.k) + " by " + std::to_string(product.k) + " x " +
         std::to_string(product.n) +
         (product.activation == cuda::Activation::relu ? ", relu" : "") + after_text(node);
}

// The tasks alone.
std::string tasks_text(const TaskGraph& tasks) {
  std::istringstream lines(text(tasks));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if ('0' <= line[0] && line[0] <= '9') out += line + "\n";
  }
  return out;
}

// The tasks on two GPUs, the nodes of their CUDA graph, and the kernel of the last.
void walk_to_nodes(const Plan& plan, std::map<std::string, std::string>& out) {
  std::string nodes;
  const cuda_twin::Twin twin({.tamper = [&](std::vector<cuda_twin::Recorded>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      nodes += std::to_string(i) + " " + node_text(all[i]) + "\n";
    }
  }});
  cuda::CudaExecutor executor(twin.api(), {.devices = {0, 1},
                                           .kernels = {.product_workspace = cuda::kWorkspaceUnit},
                                           .reaches = [](int32_t, int32_t) { return true; }});
  const auto tasks = std::make_shared<const TaskGraph>(lowered(plan, executor.traits()));
  executor.prepare(tasks);
  out["computed: gpu tasks"] = tasks_text(*tasks);
  out["computed: nodes"] = nodes;
  const cuda::PreparedTask last = cuda::nodes_of(*tasks, tasks->tasks.back(), {});
  out["computed: kernel"] =
      cuda::definition(std::get<cuda::GeneratedKernel>(last.nodes.at(0)).source);
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
  std::map<std::string, std::string> texts = {
      {"computed: graph", text(graph)},
      {"computed: plan", table(plan.logical, *plan.graph)},
      {"computed: specs", specs_text(plan)},
      {"computed: explain", text(explain(*plan.graph, {.p = 2}, "down"))},
      {"computed: physical", text(*plan.physical)},
      {"computed: tasks", text(tasks)},
      {"computed: report", report_text(verify(tasks, traits))},
      {"computed: pinned physical", text(*other.physical)},
  };
  walk_to_nodes(plan, texts);
  return texts;
}

}  // namespace einsummable
