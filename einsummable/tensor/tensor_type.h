// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/tensor/dtype.h"
#include "einsummable/tensor/interval.h"

namespace einsummable {

// A dtype and bounds (Definition 3.1; the dtype stands where the paper has the reals). Users'
// tensors are zero-bounded; blocks of them are projections (Definition 3.5).
struct TensorType {
  DType dtype = DType::f32;
  Box bounds;

  int64_t rank() const { return static_cast<int64_t>(bounds.size()); }
  Shape shape() const { return shape_of(bounds); }
  int64_t extent(int64_t axis) const {  // counted from the end if negative
    return bounds[static_cast<size_t>(axis < 0 ? axis + rank() : axis)].length();
  }
  int64_t elements() const { return einsummable::elements(bounds); }
  int64_t bytes() const;  // elements times the element's size, checked
  bool is_projection_of(const TensorType& whole) const {
    return dtype == whole.dtype && rank() == whole.rank() && contains(whole.bounds, bounds);
  }
  bool operator==(const TensorType&) const = default;
};

// The zero-bounded type of `shape`. Throws GraphError for a negative extent, more than 32 axes, or
// bytes that do not fit in 64 bits.
TensorType tensor_type(DType dtype, std::span<const int64_t> shape);

// "float32[3, 4]", for messages; "f32[3, 4]", for texts.
std::string describe(const TensorType& type);
std::string text(const TensorType& type);

}  // namespace einsummable
