// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/kernels/rows.h"

namespace einsummable::cuda {

// The rows of a reduction's cell: those axes of its input that the output has tell rows apart.
struct ReducedRows {
  Shape rows, along;
  // Which axes of the input those are, and the strides over `rows` of each output block.
  std::vector<size_t> row_axes, along_axes;
  std::vector<std::vector<int64_t>> outputs;

  explicit ReducedRows(const KernelCall& call);

  RowKernel::Walk input(const std::string& name, std::span<const int64_t> strides) const;
  RowKernel::Walk output(const std::string& name, size_t output) const;
};

}  // namespace einsummable::cuda
