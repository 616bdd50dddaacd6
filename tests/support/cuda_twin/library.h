// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/support/cuda_twin/memory.h"
#include "tests/support/cuda_twin/twin.h"

namespace einsummable::cuda_twin {

// Whether cuBLASLt has the product: of float64 it has no epilogue but a residual.
bool serves(const cuda::Product& product);

// What cuBLASLt and cuDNN do, as plain loops over checked memory. Gives what went wrong, or
// nothing: memory that is not there, is another device's or that nobody wrote; strides that the
// library does not take.
std::string run_product(const DeviceMemories& memories, const cuda::Product& product, OfNan relu);
std::string run_attention(const DeviceMemories& memories, const cuda::Attention& attention);

}  // namespace einsummable::cuda_twin
