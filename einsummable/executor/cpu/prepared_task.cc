// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/prepared_task.h"

#include "einsummable/base/error.h"

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
          .run = [run = std::move(kernel.run), workspace = arenas.workspace(task.site)] {
            run(workspace);
          }};
}

// Merges blocks in float64, part after part.
void merge_blocks(const PartialType& partial, int32_t parts, bool finish,
                  const std::vector<StridedView>& reads, const std::vector<StridedView>& writes) {
  const size_t components = partial.components.size();
  const auto read = [&](size_t part) {
    std::vector<Array64> block;
    for (size_t c = 0; c < components; ++c) {
      const StridedView& view = reads[part * components + c];
      block.emplace_back(box_of(view.shape));
      const std::vector<int64_t> strides = row_major_strides(view.shape);
      copy_elements(view, {reinterpret_cast<std::byte*>(block.back().values().data()), DType::f64,
                           view.shape, strides});
    }
    return block;
  };
  const auto write = [](Array64 block, const StridedView& view) {
    const std::vector<int64_t> strides = row_major_strides(view.shape);
    copy_elements(
        {reinterpret_cast<std::byte*>(block.values().data()), DType::f64, view.shape, strides},
        view);
  };
  std::vector<Array64> merged = read(0);
  for (size_t part = 1; part < static_cast<size_t>(parts); ++part)
    merge(partial, merged, read(part));
  if (finish) {
    write(finalise(partial, merged), writes[0]);
  } else {
    for (size_t c = 0; c < components; ++c) write(std::move(merged[c]), writes[c]);
  }
}

PreparedTask prepare_merge(const TaskGraph& graph, const Task& task, const Arenas& arenas) {
  const GraphTensor& tensor = graph.graph().tensor(task.tensor);
  const PartialType partial =
      graph.graph().op(tensor.producer).op->partial(static_cast<size_t>(tensor.output));
  return {.run = [partial, parts = task.parts, finish = task.kind == Task::Kind::finalise,
                  reads = views(arenas, task.reads), writes = views(arenas, task.writes)] {
    merge_blocks(partial, parts, finish, reads, writes);
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

int64_t kernel_workspace(const TaskGraph& graph, const Task& task) {
  const auto views = [&](const std::vector<Operand>& operands) {
    std::vector<StridedView> out;
    for (const Operand& operand : operands) {
      out.push_back({nullptr, graph.buffer(operand.buffer).dtype, operand.shape, operand.strides});
    }
    return out;
  };
  return prepare_steps(graph, task, views(task.reads), views(task.writes)).workspace;
}

}  // namespace einsummable::cpu
