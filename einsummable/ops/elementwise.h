// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/ops/functions.h"
#include "einsummable/ops/operator.h"

namespace einsummable {

// One operator for every scalar function, of its name: it applies the function to tensors that are
// broadcast to one shape as in NumPy.
std::vector<OperatorInfo> elementwise_operators();

// The function an operator applies to every element, its parameter, and so what may be fused with
// its neighbours; none if the operator is not elementwise.
struct Application {
  FunctionId function;
  double parameter = 0;
};
std::optional<Application> application_of(const Operator& op);

}  // namespace einsummable
