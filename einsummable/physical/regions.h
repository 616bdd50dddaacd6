// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/physical/holdings.h"

namespace einsummable {

// The regions of a tensor that must move so that every site of `needed` comes to hold its box: the
// overlay of the producer's blocks, of what is held complete, and of what is needed (Section 5.3),
// with cells of the same block, holders and needers merged. What a site holds already it does not
// need. Regions are in row-major order of their first cell; atoms are not set yet.
//   produced rows {0, 128, 256} by sites 0 and 2, needed rows {0, 64, 128, 192, 256} at 0, 1, 2, 3:
//   two regions, rows 64:128 from 0 to 1 and 192:256 from 2 to 3
std::vector<Region> regions_to_move(TensorId tensor, const Holdings& holdings,
                                    std::span<const Resident> needed);

}  // namespace einsummable
