// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "einsummable/ops/operator.h"
#include "einsummable/task/task_graph.h"

namespace einsummable {

// A box of a tensor and where its elements lie: element `box.lo + x` at position x of the operand.
struct Located {
  Box box;
  Operand operand;
};

// The part of `whole` inside `box`, which it contains. `buffer` is the operand's.
Located part_of(const Located& whole, const Box& box, const Buffer& buffer);

// The operand of `buffer` with this layout: finds the region that its elements span. Exact where
// every stride runs along one axis of the buffer, else the box that contains them.
Operand operand_of(BufferId id, const Buffer& buffer, StridedLayout layout);

// The block `box` as one operand, if `pieces` (disjoint, covering it) lie in one buffer in the same
// arrangement as in the tensor.
std::optional<Located> join_pieces(const std::vector<Located>& pieces, const Box& box,
                                   const std::vector<Buffer>& buffers);

}  // namespace einsummable
