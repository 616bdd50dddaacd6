// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/executor.h"
#include "tests/support/memory.h"

namespace einsummable {

// Loads the values of inputs and parameters, runs, and gives every saved tensor.
std::vector<Memory> run(Execution& execution, const Graph& graph,
                        const std::map<TensorId, Array64>& values);

}  // namespace einsummable
