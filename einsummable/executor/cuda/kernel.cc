// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernel.h"

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

// A layout operator whose block is a view of its input's: a copy.
std::optional<PreparedTask> prepare_layout(const KernelCall& call) {
  if (call.inputs.size() != 1 || call.outputs.size() != 1) return std::nullopt;
  const Block& from = call.inputs[0];
  const auto view = call.op.view(call.cell, {0, from.shape, from.strides});
  if (!view) return std::nullopt;
  const Block moved{from.dtype, view->shape, view->strides, size_of(from.dtype)};
  PreparedTask task = prepare_copies({&moved, 1}, call.outputs);
  for (Argument& argument : std::get<GeneratedKernel>(task.nodes.at(0)).arguments) {
    if (argument.of == Argument::Of::read) argument.bytes += view->offset * size_of(from.dtype);
  }
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
