// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/ops/operator.h"

namespace einsummable {

// What is wrong with the operator's signature: its operands must be those of the operator, axis by
// axis. Empty if nothing is.
std::string fault_of_signature(const Operator& op, const Signature& signature);

// What is wrong with the spec by Definition 3.6, found by listing its cells: input blocks are
// projections, the distinct output blocks tile, and all that the spec says in product form (blocks,
// partials, elements of the join) is what the list shows. Empty if nothing is.
std::string fault_of_spec(const Operator& op, const JoinAggSpec& spec);

}  // namespace einsummable
