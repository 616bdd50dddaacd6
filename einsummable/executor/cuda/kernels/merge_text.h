// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/tensor/partial_type.h"

namespace einsummable::cuda {

// What merges values `a` and `b`, of a merge of one component but log-sum-exp: "maximum(a, b)".
std::string merge_text(Merge merge);

// What merging begins with, as a value of `computed`, and as an element of the component holds it.
std::string neutral_text(const PartialType& partial, size_t component, DType computed);

}  // namespace einsummable::cuda
