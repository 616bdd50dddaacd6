// SPDX-License-Identifier: Apache-2.0
// The fast kernels of layout operators whose block is no view of where its inputs lie: copies.

#include <algorithm>

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

// Copies `from` into the part of `to` that begins at `start`.
struct CopyInto {
  StridedView from, to;
  int64_t offset = 0;  // of the part, in elements

  void run() const {
    StridedView part = to;
    part.data += offset * size_of(to.dtype);
    part.shape = from.shape;
    copy_elements(from, part);
  }
};

// The part of the output block where an input block goes that lies `shift` further along each axis.
CopyInto copy_into(const KernelCall& call, size_t input, const std::vector<int64_t>& shift) {
  CopyInto copy{.from = call.inputs[input], .to = call.outputs[0]};
  const Box &in = call.cell.inputs[input], &out = call.cell.outputs[0];
  for (size_t i = 0; i < out.size(); ++i) {
    copy.offset += (in[i].lo + shift[i] - out[i].lo) * copy.to.strides[i];
  }
  return copy;
}

std::optional<PreparedKernel> prepare_concat(const KernelCall& call) {
  const auto rank = static_cast<int64_t>(call.cell.outputs[0].size());
  const int64_t axis = normalise_axis(call.op.attributes().integer("axis"), rank);
  std::vector<int64_t> shift(static_cast<size_t>(rank), 0);
  std::vector<CopyInto> copies;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!empty(call.cell.inputs[i])) copies.push_back(copy_into(call, i, shift));
    shift[static_cast<size_t>(axis)] += call.op.inputs()[i].extent(axis);
  }
  return PreparedKernel{.run = [copies = std::move(copies)](std::span<std::byte>) {
    for (const CopyInto& copy : copies) copy.run();
  }};
}

std::optional<PreparedKernel> prepare_pad(const KernelCall& call) {
  struct Pad {
    CopyInto copy;
    bool copies = false;
    std::array<std::byte, 8> value{};
    std::vector<int64_t> still = {};  // strides of a single element

    void run() const {
      auto* data = const_cast<std::byte*>(value.data());  // only read
      copy_elements({data, copy.to.dtype, copy.to.shape, still}, copy.to);
      if (copies) copy.run();
    }
  };
  Pad pad{.copy = copy_into(call, 0, call.op.attributes().integers("before"))};
  pad.copies = !empty(call.cell.inputs[0]);
  pad.still.assign(call.outputs[0].shape.size(), 0);
  store_element(call.outputs[0].dtype, pad.value.data(), call.op.attributes().real("value"));
  return PreparedKernel{.run = [pad = std::move(pad)](std::span<std::byte>) { pad.run(); }};
}

bool is_row_major(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  return std::ranges::equal(row_major_strides(shape), strides);
}

// A copy of an input block, made dense.
struct DenseCopy {
  StridedView from;
  std::vector<int64_t> strides;

  explicit DenseCopy(const StridedView& input)
      : from(input), strides(row_major_strides(input.shape)) {}

  StridedView run(std::byte* to) const {
    const StridedView dense{to, from.dtype, from.shape, strides};
    copy_elements(from, dense);
    return dense;
  }
};

}  // namespace

// Any other: the input made dense, of which the output block is a view.
std::optional<PreparedKernel> prepare_layout(const KernelCall& call) {
  if (call.inputs.size() != 1 || call.outputs.size() != 1) return std::nullopt;
  const StridedView &input = call.inputs[0], &output = call.outputs[0];
  DenseCopy copy(input);
  const Shape shape(input.shape.begin(), input.shape.end());
  auto layout = call.op.view(call.cell, {0, shape, copy.strides});
  if (!layout) return std::nullopt;
  const bool same_order = layout->offset == 0 && elements(layout->shape) == elements(shape) &&
                          is_row_major(layout->shape, layout->strides);
  if (same_order && is_row_major(output.shape, output.strides)) {
    return PreparedKernel{
        .run = [copy = std::move(copy), to = output.data](std::span<std::byte>) { copy.run(to); }};
  }
  return PreparedKernel{.workspace = workspace_array(elements(shape), size_of(input.dtype)),
                        .run = [copy = std::move(copy), layout = *std::move(layout),
                                output](std::span<std::byte> scratch) {
                          const StridedView dense = copy.run(scratch.data());
                          copy_elements({dense.data + layout.offset * size_of(dense.dtype),
                                         dense.dtype, layout.shape, layout.strides},
                                        output);
                        }};
}

KernelEntry concat_kernel() { return {"concat", prepare_concat}; }
KernelEntry pad_kernel() { return {"pad", prepare_pad}; }

}  // namespace einsummable::cpu
