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

std::optional<Step> step_of(int64_t stride, const Shape& shape,
                            const std::vector<int64_t>& strides) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1 && stride % strides[axis] == 0) return Step{axis, stride / strides[axis]};
  }
  return std::nullopt;
}

// Positions of the element at `offset`, an axis each.
std::vector<int64_t> position_of(int64_t offset, const Shape& shape,
                                 const std::vector<int64_t>& strides) {
  std::vector<int64_t> position(shape.size(), 0);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] <= 1) continue;
    position[axis] = offset / strides[axis];
    offset %= strides[axis];
  }
  return position;
}

// The region if every stride runs along one axis without leaving it.
std::optional<Box> exact_region(const StridedLayout& layout, const Shape& shape,
                                const std::vector<int64_t>& strides) {
  Box region(shape.size());
  const std::vector<int64_t> start = position_of(layout.offset, shape, strides);
  for (size_t axis = 0; axis < shape.size(); ++axis) region[axis] = {start[axis], start[axis] + 1};
  for (size_t i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] == 1 || layout.strides[i] == 0) continue;
    const auto step = step_of(layout.strides[i], shape, strides);
    if (!step) return std::nullopt;
    const int64_t reach = step->positions * (layout.shape[i] - 1);
    (reach < 0 ? region[step->axis].lo : region[step->axis].hi) += reach;
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (region[axis].lo < 0 || region[axis].hi > std::max<int64_t>(shape[axis], 1)) {
      return std::nullopt;
    }
  }
  return region;
}

// The rows of the outermost axis from the first element to the last.
Box spanning_region(const StridedLayout& layout, const Shape& shape,
                    const std::vector<int64_t>& strides) {
  int64_t first = layout.offset, last = layout.offset;
  for (size_t i = 0; i < layout.shape.size(); ++i) {
    const int64_t reach = layout.strides[i] * (layout.shape[i] - 1);
    (reach < 0 ? first : last) += reach;
  }
  Box region = box_of(shape);
  if (!region.empty()) region[0] = {first / strides[0], last / strides[0] + 1};
  return region;
}

}  // namespace

Operand operand_of(BufferId id, const Buffer& buffer, StridedLayout layout) {
  const Shape shape = shape_of(buffer.box);
  const std::vector<int64_t> strides = row_major_strides(shape);
  Operand out{.buffer = id,
              .region = {},
              .offset = layout.offset,
              .shape = layout.shape,
              .strides = layout.strides};
  if (elements(layout.shape) == 0) {
    out.region.assign(shape.size(), Interval{});
    return out;
  }
  const auto exact = exact_region(layout, shape, strides);
  out.region = exact ? *exact : spanning_region(layout, shape, strides);
  return out;
}

Located part_of(const Located& whole, const Box& box, const Buffer& buffer) {
  ensure(contains(whole.box, box), "a part outside its whole");
  if (box == whole.box) return whole;
  const Box at = shifted_to(box, whole.box);
  StridedLayout layout{whole.operand.offset, shape_of(box), whole.operand.strides};
  for (size_t i = 0; i < at.size(); ++i) layout.offset += at[i].lo * layout.strides[i];
  return {box, operand_of(whole.operand.buffer, buffer, std::move(layout))};
}

std::optional<Located> join_pieces(const std::vector<Located>& pieces, const Box& box,
                                   const std::vector<Buffer>& buffers) {
  if (pieces.empty()) return std::nullopt;
  const Located& first = pieces.front();
  const auto offset_in_block = [&](const Located& piece, const std::vector<int64_t>& strides) {
    int64_t offset = 0;
    for (size_t i = 0; i < box.size(); ++i) offset += (piece.box[i].lo - box[i].lo) * strides[i];
    return offset;
  };
  // An axis along which the first piece has one element says nothing of its stride.
  std::vector<int64_t> strides = first.operand.strides;
  for (size_t i = 0; i < box.size(); ++i) {
    for (const Located& piece : pieces) {
      if (piece.box[i].length() > 1) strides[i] = piece.operand.strides[i];
    }
  }
  const int64_t start = first.operand.offset - offset_in_block(first, strides);
  for (const Located& piece : pieces) {
    if (piece.operand.buffer != first.operand.buffer) return std::nullopt;
    if (piece.operand.offset != start + offset_in_block(piece, strides)) return std::nullopt;
    for (size_t i = 0; i < box.size(); ++i) {
      if (piece.box[i].length() > 1 && piece.operand.strides[i] != strides[i]) return std::nullopt;
    }
  }
  const Buffer& buffer = buffers[first.operand.buffer.index()];
  return Located{box, operand_of(first.operand.buffer, buffer, {start, shape_of(box), strides})};
}

}  // namespace einsummable
