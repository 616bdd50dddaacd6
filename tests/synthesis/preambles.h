// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// A collective by its name (exchange::collective), or "repartition": 8 blocks of this size, one a
// site, from 2 x 4 to 4 x 2.
exchange::Program standard(std::string_view what, int32_t sites, int64_t bytes);

// Example 5.3, with these members of G1; G2 has the others. Open partitions if there are none.
exchange::Program example_5_3(const std::vector<int64_t>& first);

// Sums and multicasts of random sizes, 1 kB to 4 GB, over random sites; some in several copies,
// some formed already, some with a size of their own when complete.
exchange::Program random_demands(int32_t sites, std::mt19937_64& random);

}  // namespace einsummable::synthesis
