// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "einsummable/ops/operator.h"

namespace einsummable {

// All operators: the lines of operators.def, then one for every scalar function, sorted by name.
std::span<const OperatorInfo> operators();

// The entry called `name`; null if there is none.
const OperatorInfo* find_operator(std::string_view name);

// Checks the number of inputs and the attributes' names and kinds, fills in defaults, and makes the
// operator. Dtypes are promoted already. Throws GraphError with what would be legal.
std::shared_ptr<const Operator> make_operator(const OperatorInfo& info, OperatorCall call);

// The dtype each input must be cast to before `make_operator`.
std::vector<DType> promoted_dtypes(const OperatorInfo& info, std::span<const TensorType> inputs);

}  // namespace einsummable
