// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/expression.h"

namespace einsummable::cuda {

// A kernel that computes an expression for every element of outputs of one shape. Inputs are
// broadcast to it.
PreparedTask prepare_expression(const Expression& expression, std::span<const Block> inputs,
                                std::span<const Block> outputs);

// "load<Half>(in3, a3)": input i where its offset is a<i>.
std::string load_text(std::span<const Block> inputs, int32_t i);

}  // namespace einsummable::cuda
