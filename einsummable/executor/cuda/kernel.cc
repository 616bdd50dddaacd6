// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernel.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"

namespace einsummable::cuda {

#define ES_KERNEL(name) KernelEntry name##_kernel();
#include "einsummable/executor/cuda/kernels.def"
#undef ES_KERNEL

namespace {

std::vector<KernelEntry> all_kernels() {
  return {
#define ES_KERNEL(name) name##_kernel(),
#include "einsummable/executor/cuda/kernels.def"
#undef ES_KERNEL
  };
}

Block view_of(DType dtype, const StridedLayout& layout) {
  return {dtype, layout.shape, layout.strides, size_of(dtype)};
}

// Copies a block that begins `bytes` after `from` to the only output.
PreparedTask copy_of(const Block& block, Argument from, int64_t bytes, const KernelCall& call) {
  PreparedTask task = prepare_copies({&block, 1}, call.outputs);
  from.bytes += bytes;
  for (NodeCall& node : task.nodes) std::get<GeneratedKernel>(node).arguments.at(0) = from;
  return task;
}

// A layout operator: a copy of its block where that is a view of its input's; else of a view of its
// input made dense.
std::optional<PreparedTask> prepare_layout(const KernelCall& call) {
  if (call.inputs.size() != 1 || call.outputs.size() != 1) return std::nullopt;
  const Block& from = call.inputs[0];
  const int64_t size = size_of(from.dtype);
  if (const auto view = call.op.view(call.cell, {0, from.shape, from.strides})) {
    return copy_of(view_of(from.dtype, *view), {.of = Argument::Of::read}, view->offset * size,
                   call);
  }
  const Block dense{from.dtype, from.shape, row_major_strides(from.shape), kWorkspaceUnit};
  const auto view = call.op.view(call.cell, {0, dense.shape, dense.strides});
  if (!view) return std::nullopt;
  PreparedTask task = prepare_copies({&from, 1}, {&dense, 1});
  for (NodeCall& node : task.nodes) {
    std::get<GeneratedKernel>(node).arguments.at(1) = {.of = Argument::Of::workspace};
  }
  PreparedTask second = copy_of(view_of(from.dtype, *view), {.of = Argument::Of::workspace},
                                view->offset * size, call);
  task.nodes.insert(task.nodes.end(), second.nodes.begin(), second.nodes.end());
  task.workspace = round_up(checked_multiply(elements(dense.shape), size), kWorkspaceUnit);
  return task;
}

}  // namespace

std::span<const KernelEntry> kernels() {
  static const std::vector<KernelEntry> all = all_kernels();
  return all;
}

PreparedTask prepare_kernel(const KernelCall& call, const KernelOptions& options) {
  if (call.op.elementwise()) return prepare_elementwise(call.op, call.inputs, call.outputs[0]);
  for (const KernelEntry& entry : kernels()) {
    if (entry.op != call.op.name()) continue;
    if (auto prepared = entry.prepare(call, options)) return *std::move(prepared);
  }
  if (auto prepared = prepare_layout(call)) return *std::move(prepared);
  throw DeviceError("no CUDA kernel takes it; backend=\"cpu\" runs it");
}

}  // namespace einsummable::cuda
