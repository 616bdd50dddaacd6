// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/physical/holdings.h"

namespace einsummable {

// The site of every cell of an operator: the assignment that leaves the most bytes of its inputs
// where they are (at most one cell a site; ties go to the site of the cell's own number). `sites`
// >= cells.
std::vector<SiteId> place(const Graph& graph, OpId op, const JoinAggSpec& spec,
                          const Holdings& holdings, int64_t sites);

}  // namespace einsummable
