// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/ops/operator.h"

namespace einsummable {

// What random inputs hold, within their dtypes and domains.
enum class Values : uint8_t {
  integers,  // small ones, so that sums and products of them are exact in any order
  reals,     // normal
  special,   // normal, with NaN, infinities, zeros and subnormals strewn in
};

// One array an input of `op`; ids and positive values as `domains` says (empty: any).
std::vector<Array64> random_arrays(const Operator& op, std::span<const Domain> domains,
                                   Values values, Random& random);

}  // namespace einsummable
