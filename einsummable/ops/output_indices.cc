// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/output_indices.h"

namespace einsummable {

Signature over_output(const Shape& shape) {
  Signature signature;
  OperandMap output;
  for (size_t i = 0; i < shape.size(); ++i) {
    signature.indices.push_back({.name = "i" + std::to_string(i), .extent = shape[i]});
    output.axes.push_back(follow(i, shape[i]));
  }
  signature.outputs.push_back(std::move(output));
  return signature;
}

AxisMap follow(size_t index, int64_t extent, int64_t factor, int64_t shift) {
  return {.terms = {{static_cast<int32_t>(index), factor}}, .shift = shift, .extent = extent};
}

OperandMap broadcast(const Shape& shape, const Shape& output) {
  OperandMap operand;
  const size_t missing = output.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    operand.axes.push_back(shape[i] == 1 ? AxisMap{.extent = 1} : follow(i + missing, shape[i]));
  }
  return operand;
}

void broadcast_position(const Box& input, std::span<const int64_t> position,
                        std::vector<int64_t>& at) {
  const size_t missing = position.size() - input.size();
  at.resize(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    at[i] = std::clamp(position[i + missing], input[i].lo, input[i].hi - 1);
  }
}

}  // namespace einsummable
