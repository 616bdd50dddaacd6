// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "einsummable/graph/evaluate.h"

namespace einsummable {

// A random computation of about `ops` operators over small tensors with odd extents: products,
// elementwise operators with broadcasting, reductions, norms, softmax, attention, every layout
// operator, shared tensors; a random subset of tensors saved, the last always.
Graph random_graph(Random& random, int64_t ops, DType dtype);

// Small values for every input and parameter, by tensor.
std::map<TensorId, Array64> random_values(Random& random, const Graph& graph);

}  // namespace einsummable
