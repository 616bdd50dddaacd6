// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/text.h"

#include "einsummable/task/task_graph.h"

namespace einsummable {
namespace {

std::string operand_text(const TaskGraph& graph, const Operand& operand) {
  const Buffer& buffer = graph.buffer(operand.buffer);
  const std::string id = std::to_string(operand.buffer.value);
  if (operand == whole_operand(operand.buffer, buffer)) return id + "[]";
  const std::string region = id + text(operand.region);
  const bool inside = contains(shifted_to(buffer.box, buffer.box), operand.region);
  if (inside && operand == region_operand(operand.buffer, buffer, operand.region)) return region;
  return region + " as " + text(std::span<const int64_t>(operand.shape)) + " strides " +
         text(std::span<const int64_t>(operand.strides)) + " at " + std::to_string(operand.offset);
}

std::string operands_text(const TaskGraph& graph, const std::vector<Operand>& operands) {
  std::vector<std::string> parts;
  for (const Operand& operand : operands) parts.push_back(operand_text(graph, operand));
  return join(parts, ", ");
}

std::string after_text(const std::vector<TaskId>& after) {
  std::string out = after.empty() ? "" : " after";
  for (TaskId id : after) out += " " + std::to_string(id.value);
  return out;
}

std::string step_text(const TaskGraph& graph, const KernelStep& step) {
  std::vector<std::string> inputs;
  for (const KernelStep::Input& input : step.inputs) {
    inputs.push_back(input.step >= 0 ? "step " + std::to_string(input.step)
                                     : "in " + std::to_string(input.read));
  }
  return " " + quote(graph.graph().op(step.op).name) + " cell " + std::to_string(step.cell) + "(" +
         join(inputs, ", ") + ")";
}

std::string task_text(const TaskGraph& graph, size_t number) {
  const Task& task = graph.tasks[number];
  std::string out = std::to_string(number) + " " + std::string(name(task.kind)) + " site " +
                    std::to_string(task.site.value);
  for (const KernelStep& step : task.steps) out += step_text(graph, step);
  if (task.kind != Task::Kind::kernel) out += " %" + std::to_string(task.tensor.value);
  if (task.parts > 0) out += " parts " + std::to_string(task.parts);
  if (task.workspace > 0) out += " workspace " + std::to_string(task.workspace);
  return out + " in " + operands_text(graph, task.reads) + " out " +
         operands_text(graph, task.writes) + after_text(task.after) + "\n";
}

}  // namespace

std::string text(const TaskGraph& graph) {
  std::string out = "task graph 1\n";
  for (size_t s = 0; s < graph.memory.size(); ++s) {
    out += "site " + std::to_string(s) + " arena " + std::to_string(graph.memory[s].arena) +
           " workspace " + std::to_string(graph.memory[s].workspace) + "\n";
  }
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    const Buffer& buffer = graph.buffers[b];
    out += "buffer " + std::to_string(b) + " " + std::string(name(buffer.role)) + " site " +
           std::to_string(buffer.site.value) + " " + std::string(short_name(buffer.dtype)) + " %" +
           std::to_string(buffer.tensor.value) + " " + text(buffer.box) + " offset " +
           std::to_string(buffer.offset) + "\n";
  }
  for (const Load& load : graph.loads) {
    out += "load %" + std::to_string(load.tensor.value) + " buffer " +
           std::to_string(load.buffer.value) + "\n";
  }
  for (const View& view : graph.views) {
    out += "view site " + std::to_string(view.site.value) + " " +
           quote(graph.graph().op(view.op).name) + " cell " + std::to_string(view.cell) + " in " +
           operand_text(graph, view.input) + " out " + operand_text(graph, view.output) + "\n";
  }
  for (size_t t = 0; t < graph.tasks.size(); ++t) out += task_text(graph, t);
  for (const Offload& offload : graph.offloads) {
    out += "offload " + std::to_string(offload.save) + " " + text(offload.box) + " from " +
           operand_text(graph, offload.from) + after_text(offload.after) + "\n";
  }
  return out;
}

}  // namespace einsummable
