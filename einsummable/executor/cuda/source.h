// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda {

// The name of a kernel, by its content: "es_" and 16 hexadecimal digits.
std::string kernel_name(const KernelSource& source);

// What every unit has after the words: the text of prelude.cuh, then a function template for each
// scalar function of functions.def, as `function_gelu(x, y, z, a)`.
const std::string& prelude();

// The text of a kernel's definition.
std::string definition(const KernelSource& source);

// What NVRTC compiles for one kernel: words.cuh, the prelude, the definition.
std::string unit(const KernelSource& source);

}  // namespace einsummable::cuda
