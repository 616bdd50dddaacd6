// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "einsummable/tensor/dtype.h"

namespace einsummable {

// Elements somewhere in memory: element x lies at data + size_of(dtype) * sum of x[i] * strides[i].
// Strides may be zero (broadcast) or negative. Owns nothing.
struct StridedView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;  // in elements

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool operator==(const StridedView&) const = delete;
};

// Copies `from` into `to`, converting between dtypes as store_element does, or store_integer if
// neither is a float. The shapes are equal.
void copy_elements(const StridedView& from, const StridedView& to);

// Whether both views have the layout of a dense row-major array.
bool is_dense(const StridedView& view);

}  // namespace einsummable
