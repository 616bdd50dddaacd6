// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// A standard preamble over sites 0 to sites - 1: all-gather, reduce-scatter (one atom of this size
// from each site), all-reduce, broadcast, reduce (of this size), all-to-all (between each pair),
// repartition (of 8 blocks of this size, one a site, from 2 x 4 to 4 x 2).
exchange::Program collective(std::string_view what, int32_t sites, int64_t bytes);

// Example 5.3, with these members of G1; G2 has the others. Open partitions if there are none.
exchange::Program example_5_3(const std::vector<int64_t>& first);

// Sums and multicasts of random sizes, 1 kB to 4 GB, over random sites; some in several copies,
// some formed already, some with a size of their own when complete.
exchange::Program random_demands(int32_t sites, std::mt19937_64& random);

}  // namespace einsummable::synthesis
