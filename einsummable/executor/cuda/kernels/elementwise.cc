// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, alone or in a run, as one kernel: an element of the output a thread.

#include "einsummable/executor/cuda/expression_text.h"
#include "einsummable/executor/cuda/kernels/expression_kernel.h"
#include "einsummable/executor/cuda/text.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

std::vector<DType> dtypes(std::span<const Block> blocks) {
  std::vector<DType> out;
  for (const Block& block : blocks) out.push_back(block.dtype);
  return out;
}

}  // namespace

std::string load_text(std::span<const Block> inputs, int32_t i) {
  const std::string number = std::to_string(i);
  return "load<" + element_type(inputs[static_cast<size_t>(i)].dtype) + ">(in" + number + ", a" +
         number + ")";
}

PreparedTask prepare_expression(const Expression& expression, std::span<const Block> inputs,
                                std::span<const Block> outputs) {
  const Shape& shape = outputs[0].shape;
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides.push_back(broadcast_strides(inputs[i].shape, inputs[i].strides, shape));
    names.push_back("a" + std::to_string(i));
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    strides.push_back(outputs[o].strides);
    names.push_back("c" + std::to_string(o));
  }
  const Axes axes = collapse(shape, std::move(strides));
  if (axes.elements() == 0) return {};
  std::string body = offsets(axes, "i", names) + expression_text(expression, "v", [&](int32_t i) {
                       return load_text(inputs, i);
                     });
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::string number = std::to_string(o);
    body += "store<" + element_type(outputs[o].dtype) + ">(out" + number + ", c" + number + ", v" +
            std::to_string(expression.outputs()[o]) + ");\n";
  }
  return {.nodes = {loop_kernel(inputs, outputs, axes.elements(), body)}};
}

PreparedTask prepare_elementwise(const Operator& op, std::span<const Block> inputs,
                                 const Block& output) {
  return prepare_expression(expression_of(op, dtypes(inputs)), inputs, {&output, 1});
}

PreparedTask prepare_fused(const Graph& graph, const Task& task, std::span<const Block> inputs,
                           const Block& output) {
  return prepare_expression(expression_of(graph, task, dtypes(inputs)), inputs, {&output, 1});
}

}  // namespace einsummable::cuda
