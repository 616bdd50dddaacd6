// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "einsummable/graph/graph.h"

namespace einsummable {

struct EinsumOptions {
  std::string combine = "multiply", aggregate = "sum";  // as of the operator `einsum`
  std::string name = {};                                // of the last operator that is applied
};

// Applies `einsum`. A sum of products of three or more factors is contracted in pairs, in the order
// of `contraction_path`, by an operator each. Throws GraphError as `Graph::apply` does, and leaves
// the graph as it was.
//   einsum(g, "ij,jk,k->i", {a, b, c})    einsum "jk,k->j" of b and c, then "ij,j->i" of a and that
TensorId einsum(Graph& graph, std::string_view notation, std::span<const TensorId> inputs,
                const EinsumOptions& options = {});

}  // namespace einsummable
