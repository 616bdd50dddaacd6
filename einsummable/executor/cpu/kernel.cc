// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernel.h"

#include <algorithm>
#include <type_traits>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/convert.h"

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

template <class T>
Array<T> read_block(const StridedView& view, const Box& box) {
  Array<T> block(box);
  const std::vector<int64_t> strides = row_major_strides(view.shape);
  copy_elements(view, {reinterpret_cast<std::byte*>(block.values().data()), kDTypeOf<T>, view.shape,
                       strides});
  return block;
}

template <class T>
void write_block(const Array<T>& block, const StridedView& view) {
  const std::vector<int64_t> strides = row_major_strides(view.shape);
  // The view is only read.
  auto* data = const_cast<T*>(block.values().data());
  copy_elements({reinterpret_cast<std::byte*>(data), kDTypeOf<T>, view.shape, strides}, view);
}

bool of_integers(const Operator& op) {
  const auto integer = [](const TensorType& type) { return !is_float(type.dtype); };
  return std::ranges::all_of(op.inputs(), integer) && std::ranges::all_of(op.outputs(), integer);
}

// What a reference needs, kept beyond the call it was prepared from.
struct ReferenceCall {
  const Operator* op;
  FunctionSpec cell;
  std::vector<StridedView> inputs, outputs;
  std::vector<char> complete;

  void run() const { of_integers(*op) ? run_as<int64_t>() : run_as<double>(); }

  template <class T>
  void run_as() const {
    std::vector<Array<T>> in, out;
    for (size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(read_block<T>(inputs[i], cell.inputs[i]));
    }
    for (size_t o = 0; o < complete.size(); ++o) {
      for (const Component& component : op->partial(o).components) {
        out.emplace_back(component_box(component, cell.outputs[o]));
      }
    }
    if constexpr (std::is_integral_v<T>) {
      op->integer_reference(cell, in, out);
    } else {
      op->reference(cell, in, out);
    }
    auto array = out.begin();
    auto view = outputs.begin();
    for (size_t o = 0; o < complete.size(); ++o) {
      const PartialType partial = op->partial(o);
      const auto end = array + static_cast<int64_t>(partial.components.size());
      if (complete[o]) {
        write_block(finalise(partial, std::vector<Array<T>>(array, end)), *view++);
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
