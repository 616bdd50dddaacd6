// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/operand.h"

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

// Along which axis of a buffer a stride runs, and how many positions a step takes.
struct Step {
  size_t axis = 0;
  int64_t positions = 0;
};

std::optional<Step> step_of(int64_t stride, const PerAxis& extents, const PerAxis& strides) {
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1 && stride % strides[axis] == 0) return Step{axis, stride / strides[axis]};
  }
  return std::nullopt;
}

// The region of the one element at `offset`.
Box element_at(int64_t offset, const PerAxis& extents, const PerAxis& strides) {
  Box region(extents.size(), {0, 1});
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] <= 1) continue;
    const int64_t position = offset / strides[axis];
    region[axis] = {position, position + 1};
    offset %= strides[axis];
  }
  return region;
}

// The region if every stride runs along one axis without leaving it.
std::optional<Box> exact_region(const Operand& operand, const PerAxis& extents,
                                const PerAxis& strides) {
  Box region = element_at(operand.offset, extents, strides);
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    if (operand.shape[i] == 1 || operand.strides[i] == 0) continue;
    const auto step = step_of(operand.strides[i], extents, strides);
    if (!step) return std::nullopt;
    const int64_t reach = step->positions * (operand.shape[i] - 1);
    (reach < 0 ? region[step->axis].lo : region[step->axis].hi) += reach;
  }
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (region[axis].lo < 0 || region[axis].hi > std::max<int64_t>(extents[axis], 1)) {
      return std::nullopt;
    }
  }
  return region;
}

// The rows of the outermost axis from the first element to the last.
Box spanning_rows(const Operand& operand, const PerAxis& extents, const PerAxis& strides) {
  int64_t first = operand.offset, last = operand.offset;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    const int64_t reach = operand.strides[i] * (operand.shape[i] - 1);
    (reach < 0 ? first : last) += reach;
  }
  Box region = box_of(extents);
  if (!region.empty()) region[0] = {first / strides[0], last / strides[0] + 1};
  return region;
}

// Whether the operand addresses the elements of `box`, counted from the corner that `start` gives
// for each axis, in their order.
template <class Start>
bool addresses(const Operand& operand, const Buffer& buffer, const Box& box, const Start& start) {
  if (operand.shape.size() != box.size()) return false;
  int64_t offset = 0, stride = 1;
  bool any = true, in_order = true;
  for (size_t i = box.size(); i-- > 0;) {
    const int64_t length = box[i].length();
    if (operand.shape[i] != length) return false;
    any = any && length > 0;
    in_order = in_order && (length <= 1 || operand.strides[i] == stride);
    offset = checked_add(offset, checked_multiply(box[i].lo - start(i), stride));
    stride = checked_multiply(stride, std::max<int64_t>(buffer.box[i].length(), 1));
  }
  return !any || (in_order && operand.offset == offset);
}

}  // namespace

Box spanned_region(const Operand& operand, const Buffer& buffer) {
  if (elements(operand.shape) == 0) return Box(buffer.box.size());
  const PerAxis extents = extents_of(buffer.box), strides = row_major_strides(buffer.box);
  const auto exact = exact_region(operand, extents, strides);
  return exact ? *exact : spanning_rows(operand, extents, strides);
}

Operand operand_of(BufferId id, const Buffer& buffer, const StridedLayout& layout) {
  Operand out{.buffer = id,
              .region = {},
              .offset = layout.offset,
              .shape = PerAxis(layout.shape.begin(), layout.shape.end()),
              .strides = PerAxis(layout.strides.begin(), layout.strides.end())};
  out.region = spanned_region(out, buffer);
  return out;
}

StridedLayout layout_of(const Operand& operand) {
  return {operand.offset, Shape(operand.shape.begin(), operand.shape.end()),
          std::vector<int64_t>(operand.strides.begin(), operand.strides.end())};
}

bool is_part(const Operand& operand, const Buffer& buffer, const Box& box) {
  return addresses(operand, buffer, box, [&](size_t axis) { return buffer.box[axis].lo; });
}

bool is_plain(const Operand& operand, const Buffer& buffer) {
  return addresses(operand, buffer, operand.region, [](size_t) { return 0; });
}

Located part_of(const Located& whole, const Box& box, const Buffer& buffer) {
  ensure(contains(whole.box, box), "a part outside its whole");
  if (box == whole.box) return whole;
  Located part{box, whole.operand};
  Operand& operand = part.operand;
  operand.shape = extents_of(box);
  for (size_t i = 0; i < box.size(); ++i) {
    operand.offset += (box[i].lo - whole.box[i].lo) * operand.strides[i];
  }
  operand.region = spanned_region(operand, buffer);
  return part;
}

std::optional<Located> join_pieces(const std::vector<Located>& pieces, const Box& box,
                                   const std::vector<Buffer>& buffers) {
  if (pieces.empty()) return std::nullopt;
  const Located& first = pieces.front();
  for (const Located& piece : pieces) {
    if (piece.operand.buffer != first.operand.buffer) return std::nullopt;
  }
  Operand whole = first.operand;
  const auto offset_in_block = [&](const Located& piece) {
    int64_t offset = 0;
    for (size_t i = 0; i < box.size(); ++i) {
      offset += (piece.box[i].lo - box[i].lo) * whole.strides[i];
    }
    return offset;
  };
  // An axis along which the first piece has one element says nothing of its stride.
  for (const Located& piece : pieces) {
    for (size_t i = 0; i < box.size(); ++i) {
      if (piece.box[i].length() > 1) whole.strides[i] = piece.operand.strides[i];
    }
  }
  whole.offset -= offset_in_block(first);
  for (const Located& piece : pieces) {
    if (piece.operand.offset != whole.offset + offset_in_block(piece)) return std::nullopt;
    for (size_t i = 0; i < box.size(); ++i) {
      const bool steps = piece.box[i].length() > 1;
      if (steps && piece.operand.strides[i] != whole.strides[i]) return std::nullopt;
    }
  }
  whole.shape = extents_of(box);
  whole.region = spanned_region(whole, buffers[whole.buffer.index()]);
  return Located{box, std::move(whole)};
}

}  // namespace einsummable
