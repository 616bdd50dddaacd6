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

// The operand of `buffer` with this layout, its region set.
Operand operand_of(BufferId id, const Buffer& buffer, const StridedLayout& layout);
StridedLayout layout_of(const Operand& operand);

// The region of the buffer that the operand's elements span. Exact where every stride runs along
// one axis of the buffer, else the box that contains them.
Box spanned_region(const Operand& operand, const Buffer& buffer);

// Whether the operand addresses exactly the elements of `box` (in the coordinates of the buffer's
// tensor) of its buffer, in their order. The buffer contains the box.
bool is_part(const Operand& operand, const Buffer& buffer, const Box& box);
// Whether it addresses exactly the elements of its own region, in their order.
bool is_plain(const Operand& operand, const Buffer& buffer);

// The block `box` as one operand, if `pieces` (disjoint, covering it) lie in one buffer in the same
// arrangement as in the tensor.
std::optional<Located> join_pieces(const std::vector<Located>& pieces, const Box& box,
                                   const std::vector<Buffer>& buffers);

}  // namespace einsummable
