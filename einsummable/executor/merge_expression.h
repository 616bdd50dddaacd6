// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "einsummable/executor/expression.h"
#include "einsummable/tensor/partial_type.h"

namespace einsummable {

// What merges `parts` partial results of one block, from the first to the last (the aggregation of
// Definition 3.7), element by element; with `finished`, into the finished block of that dtype:
// component 0, scaled. Float16 and bfloat16 parts are merged in float32 and rounded once.
//
// Inputs are every component of part 0, then of part 1, ...; outputs the finished block, else every
// component. Of any merge but a weighted mean.
Expression merge_expression(const PartialType& partial, int32_t parts,
                            std::optional<DType> finished);

// Of a weighted mean, from the lse of every part its weight, exp(lse) over their sum; a part
// without weight has exactly 0. Then, unless the block is finished, the merged lse.
Expression weights_expression(const PartialType& partial, int32_t parts,
                              std::optional<DType> finished);

// Of a weighted mean, from the value of every part, then the weight of every part, the merged
// value, finished or not. What weighs nothing does not count, even if it is NaN.
Expression weighted_expression(const PartialType& partial, int32_t parts,
                               std::optional<DType> finished);

}  // namespace einsummable
