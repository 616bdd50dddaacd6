// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// A view with a shape of its own: of another view, with axes left out or stretched.
class OwnedView {
 public:
  OwnedView(std::byte* data, DType dtype) : data_(data), dtype_(dtype) {}

  // The view without the axes at which `drop` is true.
  static OwnedView without(const StridedView& view, const std::vector<bool>& drop) {
    OwnedView result(view.data, view.dtype);
    for (size_t i = 0; i < view.shape.size(); ++i) {
      if (!drop[i]) result.add(view.shape[i], view.strides[i]);
    }
    return result;
  }

  void add(int64_t extent, int64_t stride) {
    shape_.push_back(extent);
    strides_.push_back(stride);
  }
  // Valid as long as this lives and is not changed.
  StridedView view() const { return {data_, dtype_, shape_, strides_}; }

 private:
  std::byte* data_;
  DType dtype_;
  std::vector<int64_t> shape_, strides_;
};

}  // namespace einsummable::cpu
