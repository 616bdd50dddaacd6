// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/ops/operator.h"

namespace einsummable {

// Whole inputs, and what the operator as one cell makes of them.
struct Trial {
  bool integers = false;  // small ones: sums and products are exact in any order
  std::vector<Array64> inputs, expected;
  std::vector<Array64> magnitude;  // the operator on absolute values: sum |a||b| of a contraction
};

// One trial on integers and one on reals, which have NaN, infinities, zeros and subnormals strewn
// in if `special`.
std::vector<Trial> make_trials(const Operator& op, std::span<const Domain> domains, bool special,
                               Random& random);

// What is wrong with the operator under this spec; empty if nothing is. The spec must be sound
// (fault_of_spec); views must hold what the reference gives; and by Definition 3.7 join, aggregate
// and recompose must give what the operator does. They agree in all bits (NaN where it is NaN) if
// nothing is merged or the merge is exact on such values, else within the error bound of sums in
// another order in float64,
//   B = (K + q) u * magnitude,   K the longest contraction, q the partials of a block.
std::string fault_of(const Operator& op, const JoinAggSpec& spec, std::span<const Trial> trials);

}  // namespace einsummable
