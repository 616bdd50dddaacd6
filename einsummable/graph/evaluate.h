// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "einsummable/graph/graph.h"

namespace einsummable {

// Every tensor of the graph by the float64 references of its operators, undistributed, each rounded
// to its dtype. `values` are those of all inputs and parameters. Throws InputError for values out
// of range (ids).
std::map<TensorId, Array64> evaluate(const Graph& graph, std::map<TensorId, Array64> values);

}  // namespace einsummable
