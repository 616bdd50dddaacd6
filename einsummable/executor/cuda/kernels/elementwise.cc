// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, alone or in a run, as one kernel: an element of the output a thread, or a
// group of them.

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

namespace {

std::string numbered(std::string_view name, size_t number) {
  return std::string(name) + std::to_string(number);
}

std::string call_text(std::string_view word, const Block& block, int64_t group,
                      std::string_view operand, std::string_view offset, size_t number) {
  return std::string(word) + "(" + element_type(block.dtype) + ", " + std::to_string(group) + ", " +
         numbered(operand, number) + ", " + numbered(offset, number);
}

// One element: inputs where their offsets are a<i>, outputs c<o>.
std::string element_text(const Expression& expression, std::span<const Block> inputs,
                         std::span<const Block> outputs) {
  std::string text =
      expression_text(expression, "v", [&](int32_t i) { return load_text(inputs, i); });
  for (size_t o = 0; o < outputs.size(); ++o) {
    text += "store<" + element_type(outputs[o].dtype) + ">(" + numbered("out", o) + ", " +
            numbered("c", o) + ", v" + std::to_string(expression.outputs()[o]) + ");\n";
  }
  return text;
}

// A group: what inputs have of it is read before, and outputs are written after it is computed.
std::string group_text(const Expression& expression, const Axes& axes, int64_t group,
                       std::span<const Block> inputs, std::span<const Block> outputs) {
  const auto is_same = [&](size_t input) { return axes.strides[input].back() == 0; };
  std::string before, after, results;
  for (size_t i = 0; i < inputs.size(); ++i) {
    before += "const auto " + numbered("g", i) + " = " +
              (is_same(i) ? load_text(inputs, static_cast<int32_t>(i))
                          : call_text("ES_GET_GROUP", inputs[i], group, "in", "a", i) + ")") +
              ";\n";
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::string type = element_type(outputs[o].dtype), result = numbered("r", o);
    before += "Group<" + type + ", " + std::to_string(group) + "> " + result + ";\n";
    results += result + ".at[e] = Element<" + type + ">::element(Cast<" + type + ">::from(v" +
               std::to_string(expression.outputs()[o]) + "));\n";
    after += call_text("ES_SET_GROUP", outputs[o], group, "out", "c", o) + ", " + result + ");\n";
  }
  const auto input = [&](int32_t i) {
    const auto number = static_cast<size_t>(i);
    const std::string read = numbered("g", number);
    if (is_same(number)) return read;
    return "Element<" + element_type(inputs[number].dtype) + ">::value_of(" + read + ".at[e])";
  };
  return before + "#pragma unroll\nfor (int e = 0; e < " + std::to_string(group) + "; ++e) {\n" +
         expression_text(expression, "v", input) + results + "}\n" + after;
}

}  // namespace

PreparedTask prepare_expression(const Expression& expression, std::span<const Block> inputs,
                                std::span<const Block> outputs) {
  const Shape& shape = outputs[0].shape;
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides.push_back(broadcast_strides(inputs[i].shape, inputs[i].strides, shape));
    names.push_back(numbered("a", i));
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    strides.push_back(outputs[o].strides);
    names.push_back(numbered("c", o));
  }
  const Axes axes = collapse(shape, std::move(strides));
  if (axes.elements() == 0) return {};
  std::vector<Block> blocks(inputs.begin(), inputs.end());
  blocks.insert(blocks.end(), outputs.begin(), outputs.end());
  const int64_t group = group_of(axes, blocks);
  const Axes groups = in_groups(axes, group);
  return {.nodes = {loop_kernel(
              inputs, outputs, groups.elements(),
              offsets(groups, "i", names) +
                  (group == 1 ? element_text(expression, inputs, outputs)
                              : group_text(expression, axes, group, inputs, outputs)))}};
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
