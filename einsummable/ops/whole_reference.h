// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/ops/operator.h"

namespace einsummable {

// The outputs of an operator by its float64 reference, as one cell: finished, and not rounded to
// their dtypes. Throws InputError for values out of range (ids).
std::vector<Array64> whole_reference(const Operator& op, const std::vector<Array64>& inputs);

// The same before it is finished: the components of each output's partial type.
std::vector<std::vector<Array64>> whole_partials(const Operator& op,
                                                 const std::vector<Array64>& inputs);

}  // namespace einsummable
