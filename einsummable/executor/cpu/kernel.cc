// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernel.h"

#include "einsummable/base/error.h"

namespace einsummable::cpu {

#define ES_KERNEL(name) KernelEntry name##_kernel();
#include "einsummable/executor/cpu/kernels.def"
#undef ES_KERNEL

namespace {

std::vector<KernelEntry> all_kernels() {
  return {
#define ES_KERNEL(name) name##_kernel(),
#include "einsummable/executor/cpu/kernels.def"
#undef ES_KERNEL
  };
}

Array64 read_block(const StridedView& view, const Box& box) {
  Array64 block(box);
  const std::vector<int64_t> strides = row_major_strides(view.shape);
  copy_elements(
      view, {reinterpret_cast<std::byte*>(block.values().data()), DType::f64, view.shape, strides});
  return block;
}

void write_block(const Array64& block, const StridedView& view) {
  const std::vector<int64_t> strides = row_major_strides(view.shape);
  // The view is only read.
  auto* data = const_cast<double*>(block.values().data());
  copy_elements({reinterpret_cast<std::byte*>(data), DType::f64, view.shape, strides}, view);
}

// What a reference needs, kept beyond the call it was prepared from.
struct ReferenceCall {
  const Operator* op;
  FunctionSpec cell;
  std::vector<StridedView> inputs, outputs;
  std::vector<char> complete;

  void run() const {
    std::vector<Array64> in, out;
    for (size_t i = 0; i < inputs.size(); ++i) in.push_back(read_block(inputs[i], cell.inputs[i]));
    for (size_t o = 0; o < complete.size(); ++o) {
      for (const Component& component : op->partial(o).components) {
        out.emplace_back(component_box(component, cell.outputs[o]));
      }
    }
    op->reference(cell, in, out);
    auto array = out.begin();
    auto view = outputs.begin();
    for (size_t o = 0; o < complete.size(); ++o) {
      const PartialType partial = op->partial(o);
      const auto end = array + static_cast<int64_t>(partial.components.size());
      if (complete[o]) {
        write_block(finalise(partial, {array, end}), *view++);
        array = end;
      } else {
        while (array != end) write_block(*array++, *view++);
      }
    }
  }
};

}  // namespace

std::span<const KernelEntry> fast_kernels() {
  static const std::vector<KernelEntry> all = all_kernels();
  return all;
}

PreparedKernel prepare_kernel(const KernelCall& call) {
  if (call.op.elementwise()) return prepare_elementwise(call.op, call.inputs, call.outputs[0]);
  for (const KernelEntry& entry : fast_kernels()) {
    if (entry.op != call.op.name()) continue;
    if (auto prepared = entry.prepare(call)) return *std::move(prepared);
  }
  if (auto prepared = prepare_layout(call)) return *std::move(prepared);
  return prepare_reference(call);
}

PreparedKernel prepare_reference(const KernelCall& call) {
  const auto vector = [](auto span) { return std::vector<StridedView>(span.begin(), span.end()); };
  ReferenceCall reference{&call.op,
                          call.cell,
                          vector(call.inputs),
                          vector(call.outputs),
                          {call.complete.begin(), call.complete.end()}};
  return {.kind = PreparedKernel::Kind::reference,
          .workspace = 0,
          .run = [reference = std::move(reference)](std::span<std::byte>) { reference.run(); }};
}

}  // namespace einsummable::cpu
