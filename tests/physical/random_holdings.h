// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/physical/holdings.h"

namespace einsummable {

// A random box within `bounds` without empty axes.
Box random_box(Random& random, const Box& bounds);

// One einsum that sums over its last index, "xyzr->xyz" with up to three output axes, cut at
// random, its cells at random sites: blocks with one partial or several.
struct Produced {
  Graph graph;
  TensorId tensor;
  std::vector<JoinAggSpec> spec;  // one
  std::vector<SiteId> placement;

  const Box& bounds() const { return graph.type(tensor).bounds; }
};
Produced random_producer(Random& random, int64_t sites);

// What is where after the producer has run and a few boxes were completed at random sites.
Holdings random_holdings(Random& random, const Produced& produced, int64_t sites);

}  // namespace einsummable
