// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda {

// What is done to the sums of a product before they are rounded: activation(sums + residual +
// bias).
struct Epilogue {
  struct Addend {
    int32_t read = 0;  // position in the task's reads
    Block block;
  };
  std::optional<Addend> residual;  // of the output's shape
  std::optional<Addend> bias;      // broadcast to it
  Activation activation = Activation::none;

  bool empty() const { return !residual && !bias && activation == Activation::none; }
};

// A sum of products by the library: nothing unless there are two operands of one float dtype, and
// the blocks of an epilogue lie as the library wants them.
std::optional<PreparedTask> prepare_product(const KernelCall& call, const Epilogue& epilogue,
                                            const KernelOptions& options);

}  // namespace einsummable::cuda
