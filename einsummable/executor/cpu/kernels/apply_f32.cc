// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/apply_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/apply_f32.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"
// The targets are chosen above.
#include "einsummable/executor/cpu/kernels/apply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

ApplyKernel Float32Kernel(FunctionId id) { return kernel_for<float>(id); }

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace einsummable::cpu {

HWY_EXPORT(Float32Kernel);

ApplyKernel apply_kernel_f32(FunctionId id) { return HWY_DYNAMIC_DISPATCH(Float32Kernel)(id); }

}  // namespace einsummable::cpu
#endif
