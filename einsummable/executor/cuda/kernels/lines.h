// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/kernels/rows.h"

namespace einsummable::cuda {

// Blocks as rows along one axis.
struct Lines {
  Shape rows, along;
  size_t axis;

  Lines(const Shape& shape, size_t along_axis);
  // A block of that rank, whose extent along the axis may be another.
  RowKernel::Walk walk(const std::string& name, const Block& block) const;
};

}  // namespace einsummable::cuda
