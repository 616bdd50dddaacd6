// SPDX-License-Identifier: Apache-2.0
#include "tests/support/execution.h"

namespace einsummable {

std::vector<Memory> run(Execution& execution, const Graph& graph,
                        const std::map<TensorId, Array64>& values) {
  std::vector<Memory> given;
  given.reserve(values.size());
  for (const auto& [tensor, array] : values) {
    given.emplace_back(graph.type(tensor), array);
    execution.load(tensor, given.back().view());
  }
  execution.run({});
  std::vector<Memory> saved;
  for (size_t s = 0; s < graph.saves().size(); ++s) {
    saved.emplace_back(graph.type(graph.saves()[s].tensor));
    execution.offload(static_cast<int32_t>(s), saved.back().view());
  }
  return saved;
}

}  // namespace einsummable
