// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "einsummable/graph/graph.h"

namespace einsummable {

struct RandomGraphOptions {
  int ops = 5;
  bool tree = false;  // every tensor is read at most once, and every operator has one output
};

// A graph of small matrices: products, elementwise operators, reductions, layout operators,
// attention and operators of two outputs, on tensors that may be shared. Saves what nothing reads.
Graph random_graph(std::mt19937_64& random, const RandomGraphOptions& options);

}  // namespace einsummable
