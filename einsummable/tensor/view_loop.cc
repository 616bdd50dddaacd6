// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/view_loop.h"

#include <algorithm>
#include <utility>

#include "einsummable/base/error.h"

namespace einsummable {

ViewLoop::ViewLoop(std::span<const StridedView> first, std::span<const StridedView> second,
                   std::span<Operand> storage)
    : operands_(storage.first(first.size() + second.size())) {
  const std::span<const int64_t> shape = (second.empty() ? first : second)[0].shape;
  ensure(std::ssize(shape) <= kMaxRank, "a view of too many axes");
  const auto view = [&](size_t i) -> const StridedView& {
    return i < first.size() ? first[i] : second[i - first.size()];
  };
  for (size_t i = 0; i < operands_.size(); ++i) {
    ensure(std::ranges::equal(view(i).shape, shape), "a loop over views of different shapes");
    operands_[i] = {view(i).data, size_of(view(i).dtype), {}};
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) empty_ = true;
    if (shape[axis] == 1) continue;
    // The axis continues the last one if every view crosses both evenly.
    bool continues = rank_ > 0;
    const auto last = static_cast<size_t>(std::max<int64_t>(rank_ - 1, 0));
    for (size_t i = 0; continues && i < operands_.size(); ++i) {
      const int64_t stride = view(i).strides[axis] * operands_[i].element;
      continues = operands_[i].strides[last] == stride * shape[axis];
    }
    const size_t at = continues ? last : static_cast<size_t>(rank_++);
    extents_[at] = continues ? extents_[at] * shape[axis] : shape[axis];
    for (size_t i = 0; i < operands_.size(); ++i) {
      operands_[i].strides[at] = view(i).strides[axis] * operands_[i].element;
    }
  }
  if (rank_ > 0) return;
  rank_ = 1;
  extents_[0] = 1;
  for (Operand& operand : operands_) operand.strides[0] = operand.element;
}

void ViewLoop::swap_axes(int64_t a, int64_t b) {
  const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
  std::swap(extents_[x], extents_[y]);
  for (Operand& operand : operands_) std::swap(operand.strides[x], operand.strides[y]);
}

bool ViewLoop::next(int64_t axes) {
  for (auto axis = static_cast<size_t>(axes); axis-- > 0;) {
    const bool wraps = ++position_[axis] == extents_[axis];
    const int64_t steps = wraps ? 1 - extents_[axis] : 1;
    for (Operand& operand : operands_) operand.data += steps * operand.strides[axis];
    if (!wraps) return true;
    position_[axis] = 0;
  }
  return false;
}

}  // namespace einsummable
