// SPDX-License-Identifier: Apache-2.0
#include "tests/support/executable.h"

namespace einsummable {

std::vector<Memory> call(Executable& executable, const Graph& graph,
                         const std::map<TensorId, Array64>& values) {
  std::vector<Memory> given, saved;
  std::vector<Executable::Argument> inputs, outputs;
  given.reserve(values.size());
  for (const auto& [tensor, array] : values) {
    given.emplace_back(graph.type(tensor), array);
    inputs.push_back({graph.tensor(tensor).name, given.back().view()});
  }
  saved.reserve(graph.saves().size());
  for (const GraphSave& save : graph.saves()) {
    saved.emplace_back(graph.type(save.tensor));
    outputs.push_back({save.name, saved.back().view()});
  }
  executable.call(inputs, outputs);
  return saved;
}

}  // namespace einsummable
