// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/prepared_task.h"

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/aggregate.h"

namespace einsummable::cpu {
namespace {

std::vector<StridedView> views(const Arenas& arenas, const std::vector<Operand>& operands) {
  std::vector<StridedView> out;
  for (const Operand& operand : operands) out.push_back(arenas.view(operand));
  return out;
}

PreparedTask prepare_copies(const Task& task, const Arenas& arenas) {
  return {.run = [reads = views(arenas, task.reads), writes = views(arenas, task.writes)] {
    for (size_t i = 0; i < reads.size(); ++i) copy_elements(reads[i], writes[i]);
  }};
}

std::string describe_call(const Graph& graph, OpId id) {
  const GraphOp& op = graph.op(id);
  return graph.describe_call(op.op->name(), op.name, op.inputs);
}

// The kernel of a task whose operands lie in `inputs` and `outputs`.
PreparedKernel prepare_steps(const TaskGraph& graph, const Task& task,
                             std::span<const StridedView> inputs,
                             std::span<const StridedView> outputs) {
  if (task.steps.size() > 1) return prepare_fused(graph.graph(), task, inputs, outputs);
  const KernelStep& step = task.steps[0];
  const Operator& op = *graph.graph().op(step.op).op;
  const JoinAggSpec& spec = graph.plan->specs[step.op.index()];
  const FunctionSpec cell = spec.cell(step.cell);
  std::vector<char> complete;
  for (size_t o = 0; o < op.outputs().size(); ++o) complete.push_back(spec.partials(o) == 1);
  return prepare_kernel({op, cell, inputs, outputs, complete});
}

PreparedTask prepare_kernel_task(const TaskGraph& graph, const Task& task, const Arenas& arenas) {
  PreparedKernel kernel =
      prepare_steps(graph, task, views(arenas, task.reads), views(arenas, task.writes));
  ensure(kernel.workspace <= task.workspace, "a kernel asks for more workspace than planned");
  return {.kind = kernel.kind,
          .run =
              [run = std::move(kernel.run), workspace = arenas.workspace(task.site), &graph,
               op = task.steps[0].op] {
                try {
                  run(workspace);
                } catch (const InputError& error) {
                  throw InputError(describe_call(graph.graph(), op) + "; " + error.what());
                }
              },
          .move_read = std::move(kernel.move_input)};
}

Aggregation aggregation_of(const TaskGraph& graph, const Task& task,
                           std::span<const StridedView> reads) {
  const GraphTensor& tensor = graph.graph().tensor(task.tensor);
  const PartialType partial = graph.plan->partial(task.tensor);
  const bool finishes = task.kind == Task::Kind::finalise;
  return {partial, task.parts, finishes ? std::optional(tensor.type.dtype) : std::nullopt, reads};
}

PreparedTask prepare_merge(const TaskGraph& graph, const Task& task, const Arenas& arenas) {
  std::vector<StridedView> reads = views(arenas, task.reads);
  auto merge = std::make_shared<const Aggregation>(aggregation_of(graph, task, reads));
  return {.run = [merge = std::move(merge), reads = std::move(reads),
                  writes = views(arenas, task.writes), workspace = arenas.workspace(task.site)] {
    merge->run(reads, writes, workspace);
  }};
}

}  // namespace

PreparedTask prepare_task(const TaskGraph& graph, const Task& task, const Arenas& arenas) {
  switch (task.kind) {
    case Task::Kind::kernel:
      return prepare_kernel_task(graph, task, arenas);
    case Task::Kind::aggregate:
    case Task::Kind::finalise:
      return prepare_merge(graph, task, arenas);
    case Task::Kind::slice:
    case Task::Kind::concat:
    case Task::Kind::transfer:
      return prepare_copies(task, arenas);
  }
  throw InternalError("unknown kind of task");
}

int64_t task_workspace(const TaskGraph& graph, const Task& task) {
  const auto views = [&](const std::vector<Operand>& operands) {
    std::vector<StridedView> out;
    for (const Operand& operand : operands) {
      out.push_back({nullptr, graph.buffer(operand.buffer).dtype, operand.shape, operand.strides});
    }
    return out;
  };
  if (task.kind != Task::Kind::kernel) {
    return aggregation_of(graph, task, views(task.reads)).workspace_bytes();
  }
  return prepare_steps(graph, task, views(task.reads), views(task.writes)).workspace;
}

}  // namespace einsummable::cpu
