// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/contract.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/ops/einsum_path.h"

namespace einsummable {
namespace {

TensorId apply(Graph& graph, const std::string& spec, std::span<const TensorId> inputs,
               const EinsumOptions& options, std::string_view name) {
  return graph.apply(
      "einsum", inputs,
      {{"spec", spec}, {"combine", options.combine}, {"aggregate", options.aggregate}}, name)[0];
}

std::vector<Contraction> path(const Graph& graph, std::string_view notation,
                              std::span<const TensorId> inputs) {
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  for (TensorId input : inputs) {
    shapes.push_back(graph.type(input).shape());
    names.push_back(graph.tensor(input).name);
  }
  return contraction_path(notation, shapes, names);
}

}  // namespace

TensorId einsum(Graph& graph, std::string_view notation, std::span<const TensorId> inputs,
                const EinsumOptions& options) {
  const bool products = options.combine == "multiply" && options.aggregate == "sum";
  const bool known = std::ranges::all_of(inputs, [&](TensorId input) {
    return input.valid() && input.index() < graph.tensors().size();
  });
  // What is not contracted in pairs, or is wrong, is for the operator.
  if (!products || !known || inputs.size() < 3) {
    return apply(graph, std::string(notation), inputs, options, options.name);
  }
  if (graph.find_op(options.name).valid()) {
    throw GraphError("einsum " + quote(options.name) + "; there is already an operator called " +
                     quote(options.name));
  }
  std::vector<Contraction> contractions;
  try {
    contractions = path(graph, notation, inputs);
  } catch (const GraphError&) {
    return apply(graph, std::string(notation), inputs, options, options.name);
  }
  std::vector<TensorId> left(inputs.begin(), inputs.end());
  for (size_t i = 0; i < contractions.size(); ++i) {
    const Contraction& step = contractions[i];
    const TensorId pair[] = {left[step.left], left[step.right]};
    const bool last = i + 1 == contractions.size();
    const TensorId product =
        apply(graph, step.spec, pair, options, last ? options.name : std::string());
    left.erase(left.begin() + static_cast<ptrdiff_t>(std::max(step.left, step.right)));
    left.erase(left.begin() + static_cast<ptrdiff_t>(std::min(step.left, step.right)));
    left.push_back(product);
  }
  return left[0];
}

}  // namespace einsummable
