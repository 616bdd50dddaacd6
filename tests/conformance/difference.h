// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/ops/operator.h"

namespace einsummable {

// How far the result of a spec may be from the operator's as one cell.
enum class Agreement : uint8_t {
  bits,   // equal, NaN where it is NaN
  bound,  // within the error bound of a sum of partial results in another order, in float64:
          //   B = (K + q) u * magnitude, K the longest contraction, q the partials of a block
};

// What a spec must agree to: bits where nothing is merged, or the merge is exact on such values.
Agreement agreement_of(const Operator& op, const JoinAggSpec& spec, bool integers);

// The first element that differs by more than it may, as text; empty if all agree. `inputs` say how
// large the summands are.
std::string difference(const Operator& op, const JoinAggSpec& spec, Agreement agreement,
                       const std::vector<Array64>& inputs, const std::vector<Array64>& expected,
                       const std::vector<Array64>& found);

}  // namespace einsummable
