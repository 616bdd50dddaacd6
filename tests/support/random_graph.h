// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "einsummable/graph/graph.h"

namespace einsummable {

// A random computation of about `ops` operators over small tensors with odd extents: products,
// elementwise operators with broadcasting, reductions, norms, softmax, attention, every layout
// operator, shared tensors; a random subset of tensors saved, the last always.
Graph random_graph(Random& random, int64_t ops, DType dtype);

// Small values for every input and parameter, by tensor.
std::map<TensorId, Array64> random_values(Random& random, const Graph& graph);

// Every tensor of the graph by the operators' references, undistributed, in float64 rounded to each
// tensor's dtype.
std::map<TensorId, Array64> evaluate(const Graph& graph, std::map<TensorId, Array64> given);

// The array's values rounded to the dtype.
Array64 rounded(Array64 array, DType dtype);

}  // namespace einsummable
