// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/spec/signature.h"

namespace einsummable {

// Signatures of operators that compute each element of their output on its own: one index an axis
// of the output, called i0, i1, ...

// The signature of an output of `shape`, its inputs still to be added.
Signature over_output(const Shape& shape);

// An axis of `extent` that follows an index, `factor` elements a unit, from `shift` on.
AxisMap follow(size_t index, int64_t extent, int64_t factor = 1, int64_t shift = 0);

// An input of `shape` that is broadcast to `output` as in NumPy: axes are aligned at the last one,
// and an axis of extent 1 is read whole by every cell.
OperandMap broadcast(const Shape& shape, const Shape& output);

// Where the element of such an input lies that belongs to `position` of the output.
void broadcast_position(const Box& input, std::span<const int64_t> position,
                        std::vector<int64_t>& at);

}  // namespace einsummable
