// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "einsummable/executor/expression.h"

namespace einsummable::cuda {

// Lines that compute an expression for one element: every instruction a constant `PREFIX0`,
// `PREFIX1`, ... rounded to its dtype. `input(i)` is the text of the value of input i, as
// "load<Half>(in0, a)".
std::string expression_text(const Expression& expression, std::string_view prefix,
                            const std::function<std::string(int32_t)>& input);

}  // namespace einsummable::cuda
