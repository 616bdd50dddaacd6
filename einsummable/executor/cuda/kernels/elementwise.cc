// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, alone or in a run, as one kernel: an element of the output a thread.

#include "einsummable/executor/cuda/expression_text.h"
#include "einsummable/executor/cuda/text.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

std::vector<DType> dtypes(std::span<const Block> blocks) {
  std::vector<DType> out;
  for (const Block& block : blocks) out.push_back(block.dtype);
  return out;
}

PreparedTask prepare_expression(const Expression& expression, std::span<const Block> inputs,
                                const Block& output) {
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides.push_back(broadcast_strides(inputs[i].shape, inputs[i].strides, output.shape));
    names.push_back("a" + std::to_string(i));
  }
  strides.push_back(output.strides);
  names.push_back("c");
  const Axes axes = collapse(output.shape, std::move(strides));
  const int64_t elements = axes.elements();
  if (elements == 0) return {};
  const auto input = [&](int32_t i) {
    const std::string number = std::to_string(i);
    return "load<" + element_type(inputs[static_cast<size_t>(i)].dtype) + ">(in" + number + ", a" +
           number + ")";
  };
  KernelSource source{.parameters = parameters(inputs, {&output, 1}), .body = {}};
  source.body = "ES_LOOP(i, " + std::to_string(elements) + ") {\n" + offsets(axes, "i", names) +
                expression_text(expression, "v", input) + "store<" + element_type(output.dtype) +
                ">(out0, c, v" + std::to_string(expression.outputs()[0]) + ");\n}\n";
  const int64_t blocks = blocks_for(elements, source.threads);
  return {.nodes = {GeneratedKernel{std::move(source), blocks, arguments(inputs.size(), 1)}}};
}

}  // namespace

PreparedTask prepare_elementwise(const Operator& op, std::span<const Block> inputs,
                                 const Block& output) {
  return prepare_expression(expression_of(op, dtypes(inputs)), inputs, output);
}

PreparedTask prepare_fused(const Graph& graph, const Task& task, std::span<const Block> inputs,
                           const Block& output) {
  return prepare_expression(expression_of(graph, task, dtypes(inputs)), inputs, output);
}

}  // namespace einsummable::cuda
