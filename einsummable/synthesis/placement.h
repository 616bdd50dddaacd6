// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// Puts every cell on a site of its own so that the sum of gains is greatest: `gain[c * sites + s]`
// is what cell c gains on site s (the bytes it needs that are there already), `cells` <= `sites`.
// Among the best placements, cell 0 is on the lowest site it can be, then cell 1, and so on.
// O(sites^3) (the Hungarian method). Throws InternalError on a wrong shape or a gain beyond 2^53
// either way.
//
//     place(2, 2, {{5, 9, 9, 9}}) puts cell 0 on site 1 and cell 1 on site 0
std::vector<exchange::SiteId> place(int64_t cells, int64_t sites, std::span<const int64_t> gain);

}  // namespace einsummable::synthesis
