// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/strided_view.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// Copies along the last axis; `from` and `to` point at its first elements.
void copy_row(const StridedView& from, const StridedView& to, const std::byte* source,
              std::byte* target) {
  const int64_t n = from.rank() == 0 ? 1 : from.shape.back();
  const int64_t source_stride = from.rank() == 0 ? 1 : from.strides.back();
  const int64_t target_stride = to.rank() == 0 ? 1 : to.strides.back();
  const int64_t source_size = size_of(from.dtype), target_size = size_of(to.dtype);
  if (from.dtype == to.dtype && source_stride == 1 && target_stride == 1) {
    std::memcpy(target, source, static_cast<size_t>(n * source_size));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const std::byte* x = source + i * source_stride * source_size;
    std::byte* y = target + i * target_stride * target_size;
    if (from.dtype == to.dtype) {
      std::memcpy(y, x, static_cast<size_t>(source_size));
    } else {
      store_element(to.dtype, y, load_element(from.dtype, x));
    }
  }
}

}  // namespace

void copy_elements(const StridedView& from, const StridedView& to) {
  ensure(std::ranges::equal(from.shape, to.shape), "copy between views of different shapes");
  if (std::ranges::find(from.shape, 0) != from.shape.end()) return;
  const auto outer = static_cast<size_t>(std::max<int64_t>(from.rank() - 1, 0));
  std::vector<int64_t> position(outer, 0);
  const std::byte* source = from.data;
  std::byte* target = to.data;
  while (true) {
    copy_row(from, to, source, target);
    size_t axis = outer;
    while (axis > 0) {
      --axis;
      const int64_t source_step = from.strides[axis] * size_of(from.dtype);
      const int64_t target_step = to.strides[axis] * size_of(to.dtype);
      source += source_step;
      target += target_step;
      if (++position[axis] < from.shape[axis]) break;
      source -= source_step * from.shape[axis];
      target -= target_step * from.shape[axis];
      position[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

bool is_dense(const StridedView& view) {
  int64_t stride = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != stride) return false;
    stride *= view.shape[i];
  }
  return true;
}

}  // namespace einsummable
