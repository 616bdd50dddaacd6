// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/task_nodes.h"

#include <algorithm>
#include <numeric>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/cuda_executor.h"

namespace einsummable::cuda {
namespace {

Block block_of(const TaskGraph& graph, const Operand& operand) {
  const DType dtype = graph.buffer(operand.buffer).dtype;
  return {.dtype = dtype,
          .shape = {operand.shape.begin(), operand.shape.end()},
          .strides = {operand.strides.begin(), operand.strides.end()},
          .alignment = std::gcd(kAlignment, operand.offset * size_of(dtype))};
}

std::vector<Block> blocks_of(const TaskGraph& graph, const std::vector<Operand>& operands) {
  std::vector<Block> out;
  for (const Operand& operand : operands) out.push_back(block_of(graph, operand));
  return out;
}

PreparedTask kernel_nodes(const TaskGraph& graph, const Task& task, std::span<const Block> reads,
                          std::span<const Block> writes, const KernelOptions& options) {
  const KernelStep& step = task.steps[0];
  const Operator& op = *graph.graph().op(step.op).op;
  if (task.steps.size() > 1) {
    if (op.elementwise()) return prepare_fused(graph.graph(), task, reads, writes[0]);
    auto prepared = prepare_epilogue(graph, task, reads, writes[0], options);
    ensure(prepared.has_value(), "a task joined with an epilogue that no kernel has");
    return *std::move(prepared);
  }
  const JoinAggSpec& spec = graph.plan->specs[step.op.index()];
  const FunctionSpec cell = spec.cell(step.cell);
  std::vector<char> complete;
  for (size_t o = 0; o < op.outputs().size(); ++o) complete.push_back(spec.partials(o) == 1);
  try {
    return prepare_kernel({op, cell, reads, writes, complete}, options);
  } catch (const DeviceError& error) {
    throw DeviceError(describe(graph, task) + "; " + error.what());
  }
}

// An address that is a multiple of what the argument's surely is.
Address multiple_of(const Argument& argument, std::span<const Block> reads,
                    std::span<const Block> writes) {
  const auto index = static_cast<size_t>(argument.index);
  const int64_t begins = argument.of == Argument::Of::read    ? reads[index].alignment
                         : argument.of == Argument::Of::write ? writes[index].alignment
                                                              : kAlignment;
  return static_cast<Address>(std::gcd(begins, argument.bytes));
}

}  // namespace

PreparedTask nodes_of(const TaskGraph& graph, const Task& task, const KernelOptions& options) {
  const std::vector<Block> reads = blocks_of(graph, task.reads);
  const std::vector<Block> writes = blocks_of(graph, task.writes);
  const PartialType partial =
      task.kind == Task::Kind::kernel ? PartialType{} : graph.plan->partial(task.tensor);
  switch (task.kind) {
    case Task::Kind::kernel:
      return kernel_nodes(graph, task, reads, writes, options);
    case Task::Kind::aggregate:
      return prepare_merge(partial, task.parts, std::nullopt, reads, writes);
    case Task::Kind::finalise:
      return prepare_merge(partial, task.parts, graph.graph().tensor(task.tensor).type.dtype, reads,
                           writes);
    case Task::Kind::slice:
    case Task::Kind::concat:
      return prepare_copies(reads, writes);
    case Task::Kind::transfer:
      return {};
  }
  throw InternalError("unknown kind of task");
}

bool has_epilogue(const Api& api, const CudaOptions& options, const TaskGraph& graph,
                  const Task& task) {
  const int32_t device = options.devices.at(task.site.index());
  const std::vector<Block> reads = blocks_of(graph, task.reads);
  const std::vector<Block> writes = blocks_of(graph, task.writes);
  const auto prepared = prepare_epilogue(graph, task, reads, writes[0], options.kernels);
  if (!prepared) return false;
  return std::ranges::all_of(prepared->nodes, [&](const NodeCall& node) {
    const auto* call = std::get_if<ProductCall>(&node);
    if (!call) return true;
    Product product = call->product;
    product.device = device;
    product.a.address = multiple_of(call->a, reads, writes);
    product.b.address = multiple_of(call->b, reads, writes);
    product.c.address = multiple_of(call->c, reads, writes);
    if (call->residual) product.residual = multiple_of(*call->residual, reads, writes);
    if (call->bias) product.bias = multiple_of(*call->bias, reads, writes);
    product.workspace = kAlignment;
    const bool right = product.activation != Activation::relu || options.relu_keeps_nan(device);
    return right && api.has_product(&product) == Status::ok;
  });
}

std::string describe(const TaskGraph& graph, const Task& task) {
  if (task.kind != Task::Kind::kernel) {
    return std::string(name(task.kind)) + " of " + quote(graph.graph().tensor(task.tensor).name);
  }
  const GraphOp& op = graph.graph().op(task.steps[0].op);
  return graph.graph().describe_call(op.op->name(), op.name, op.inputs);
}

}  // namespace einsummable::cuda
