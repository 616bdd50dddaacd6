// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/whole_reference.h"

namespace einsummable {

std::vector<std::vector<Array64>> whole_partials(const Operator& op,
                                                 const std::vector<Array64>& inputs) {
  FunctionSpec whole;
  for (const TensorType& type : op.inputs()) whole.inputs.push_back(type.bounds);
  for (const TensorType& type : op.outputs()) whole.outputs.push_back(type.bounds);
  std::vector<Array64> components;
  for (size_t o = 0; o < whole.outputs.size(); ++o) {
    for (const Component& component : op.partial(o).components) {
      components.emplace_back(component_box(component, whole.outputs[o]));
    }
  }
  op.reference(whole, inputs, components);
  std::vector<std::vector<Array64>> out;
  auto next = components.begin();
  for (size_t o = 0; o < whole.outputs.size(); ++o) {
    const auto end = next + static_cast<int64_t>(op.partial(o).components.size());
    out.emplace_back(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
  return out;
}

std::vector<Array64> whole_reference(const Operator& op, const std::vector<Array64>& inputs) {
  std::vector<Array64> out;
  for (const std::vector<Array64>& components : whole_partials(op, inputs)) {
    out.push_back(finalise(op.partial(out.size()), components));
  }
  return out;
}

}  // namespace einsummable
