// SPDX-License-Identifier: Apache-2.0
// Layout operators that are no view of one input: concat, pad, constant, iota; an element of the
// output, or of an input, a thread.

#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

std::string store_text(const Block& block, const std::string& value) {
  return "store<" + element_type(block.dtype) + ">(out0, " + place(block.strides, "x") + ", " +
         value + ");\n";
}

// Copies an input block into the part of the output block that lies `shift` further along each
// axis.
GeneratedKernel copy_into(const KernelCall& call, size_t input, const std::vector<int64_t>& shift) {
  const Block &from = call.inputs[input], &to = call.outputs[0];
  const Box &in = call.cell.inputs[input], &out = call.cell.outputs[0];
  Argument write{.of = Argument::Of::write};
  for (size_t i = 0; i < out.size(); ++i) {
    write.bytes += (in[i].lo + shift[i] - out[i].lo) * to.strides[i] * size_of(to.dtype);
  }
  const Axes axes = collapse(from.shape, {from.strides, to.strides});
  const std::string names[] = {"a", "c"};
  GeneratedKernel kernel =
      loop_kernel({&from, 1}, {&to, 1}, axes.elements(),
                  offsets(axes, "i", names) + "ES_SET(out0, c, ES_GET(in0, a));\n");
  kernel.arguments = {{.of = Argument::Of::read, .index = static_cast<int32_t>(input)}, write};
  return kernel;
}

std::optional<PreparedTask> prepare_concat(const KernelCall& call, const KernelOptions&) {
  const auto rank = static_cast<int64_t>(call.cell.outputs[0].size());
  const int64_t axis = normalise_axis(call.op.attributes().integer("axis"), rank);
  std::vector<int64_t> shift(static_cast<size_t>(rank), 0);
  PreparedTask task;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!empty(call.cell.inputs[i])) task.nodes.push_back(copy_into(call, i, shift));
    shift[static_cast<size_t>(axis)] += call.op.inputs()[i].extent(axis);
  }
  return task;
}

std::optional<PreparedTask> prepare_pad(const KernelCall& call, const KernelOptions&) {
  const Block& out = call.outputs[0];
  PreparedTask task;
  if (elements(out.shape) > 0) {
    const double value = rounded(call.op.attributes().real("value"), out.dtype);
    task.nodes.push_back(
        loop_kernel({}, {&out, 1}, elements(out.shape),
                    position(out.shape, "i", "x") + store_text(out, constant(out.dtype, value))));
  }
  if (!empty(call.cell.inputs[0])) {
    task.nodes.push_back(copy_into(call, 0, call.op.attributes().integers("before")));
  }
  return task;
}

// The value at a position of the block, from the values of the whole tensor in row-major order.
std::string constant_body(const KernelCall& call) {
  const Block& out = call.outputs[0];
  const auto& values = call.op.attributes().reals("values");
  if (values.size() == 1) return store_text(out, constant(out.dtype, values[0]));
  std::vector<std::string> texts;
  for (double value : values) texts.push_back(constant(out.dtype, value));
  const std::vector<int64_t> strides = row_major_strides(call.op.outputs()[0].shape());
  int64_t first = 0;
  for (size_t i = 0; i < strides.size(); ++i) first += call.cell.outputs[0][i].lo * strides[i];
  return "const Value<" + element_type(out.dtype) + "> values[] = {" + join(texts, ", ") + "};\n" +
         store_text(out, "values[" + place(strides, "x", first) + "]");
}

std::optional<PreparedTask> prepare_constant(const KernelCall& call, const KernelOptions&) {
  const Block& out = call.outputs[0];
  if (elements(out.shape) == 0) return PreparedTask{};
  return PreparedTask{.nodes = {loop_kernel({}, {&out, 1}, elements(out.shape),
                                            position(out.shape, "i", "x") + constant_body(call))}};
}

std::optional<PreparedTask> prepare_iota(const KernelCall& call, const KernelOptions&) {
  const Block& out = call.outputs[0];
  if (elements(out.shape) == 0) return PreparedTask{};
  const auto rank = static_cast<int64_t>(out.shape.size());
  const auto axis = static_cast<size_t>(normalise_axis(call.op.attributes().integer("axis"), rank));
  const std::string at =
      "x" + std::to_string(axis) + " + " + std::to_string(call.cell.outputs[0][axis].lo);
  return PreparedTask{
      .nodes = {loop_kernel(
          {}, {&out, 1}, elements(out.shape),
          position(out.shape, "i", "x") + store_text(out, "Cast<" + element_type(out.dtype) +
                                                              ">::from(Integer(" + at + "))"))}};
}

}  // namespace

KernelEntry concat_kernel() { return {"concat", prepare_concat}; }
KernelEntry constant_kernel() { return {"constant", prepare_constant}; }
KernelEntry iota_kernel() { return {"iota", prepare_iota}; }
KernelEntry pad_kernel() { return {"pad", prepare_pad}; }

}  // namespace einsummable::cuda
