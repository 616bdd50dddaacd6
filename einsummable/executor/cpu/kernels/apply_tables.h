// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cpu/kernels/apply.h"

namespace einsummable::cpu {

// The parts of apply_kernel, one a translation unit.
ApplyKernel apply_kernel_f32(FunctionId id);
ApplyKernel apply_kernel_f64(FunctionId id);

}  // namespace einsummable::cpu
