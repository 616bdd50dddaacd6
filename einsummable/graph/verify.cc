// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "einsummable/base/error.h"
#include "einsummable/graph/graph.h"
#include "einsummable/ops/registry.h"

namespace einsummable {
namespace {

void verify_op(const Graph& graph, size_t position) {
  const GraphOp& op = graph.ops()[position];
  ensure(op.inputs.size() == op.op->inputs().size(), "an operator's inputs and types differ");
  ensure(op.outputs.size() == op.op->outputs().size(), "an operator's outputs and types differ");
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const GraphTensor& tensor = graph.tensor(op.inputs[i]);
    ensure(tensor.type == op.op->inputs()[i], "an input's type is not the operator's");
    ensure(tensor.is_given() || tensor.producer.index() < position,
           "operators are not in topological order");
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const GraphTensor& tensor = graph.tensor(op.outputs[i]);
    ensure(tensor.type == op.op->outputs()[i] && tensor.producer.index() == position &&
               tensor.output == static_cast<int32_t>(i),
           "an output is not its producer's");
  }
}

}  // namespace

void verify(const Graph& graph, const Interruption& interruption) {
  if (graph.saves().empty()) {
    throw GraphError("the graph saves nothing; call save on the tensors to keep");
  }
  std::unordered_set<std::string> names;
  // Whoever is asked about the interruption may add to the graph.
  const size_t ops = graph.ops().size();
  for (size_t i = 0; i < ops; ++i) {
    interruption.check();
    ensure(names.insert(graph.ops()[i].name).second, "two operators of one name");
    verify_op(graph, i);
  }
}

}  // namespace einsummable
