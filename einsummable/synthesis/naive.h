// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// The body of a program, or why there is none.
struct Body {
  bool ok = false;
  std::string reason = {};
  std::vector<exchange::Action> actions = {};
};

// The naive body for a preamble (IN and OUT; what body it has does not count): no relay, no split,
// no multicast line, nothing but what OUT needs. Requirement by requirement in OUT order, sites
// ascending: an aggregate that is somewhere already is copied from the first such site; else its
// parts among the aggregates of IN (fewest, then by name) are fetched, each from its first holder
// listed in IN, and aggregated. Valid wherever OUT can be met at all; a reason names the aggregate
// that cannot. `members` are those of every partition.
//
//     IN: A @ 0; B @ 1  OUT: A+B @ 0, 1   gives   B @ 1 -> 0;  A+B @ 0;  A+B @ 0 -> 1
Body naive(const exchange::Program& preamble, const exchange::Members& members);
// With the members that the preamble declares. No body if a partition is open.
Body naive(const exchange::Program& preamble);

}  // namespace einsummable::synthesis
