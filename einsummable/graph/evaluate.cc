// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/evaluate.h"

#include "einsummable/ops/whole_reference.h"

namespace einsummable {

std::map<TensorId, Array64> evaluate(const Graph& graph, std::map<TensorId, Array64> values) {
  for (const GraphOp& op : graph.ops()) {
    std::vector<Array64> inputs;
    for (TensorId id : op.inputs) inputs.push_back(values.at(id));
    std::vector<Array64> outputs = whole_reference(*op.op, inputs);
    for (size_t o = 0; o < outputs.size(); ++o) {
      const TensorId id = op.outputs[o];
      values.insert_or_assign(id, rounded(std::move(outputs[o]), graph.type(id).dtype));
    }
  }
  return values;
}

}  // namespace einsummable
