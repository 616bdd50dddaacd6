// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/apply_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/apply_integer.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"
// The targets are chosen above.
#include "einsummable/executor/cpu/kernels/apply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

ApplyKernel IntegerKernel(FunctionId id, DType dtype) {
  if (dtype == DType::i32) return kernel_for<int32_t>(id);
  if (dtype == DType::i64) return kernel_for<int64_t>(id);
  return kernel_for<uint8_t>(id);
}

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "einsummable/base/error.h"

namespace einsummable::cpu {

HWY_EXPORT(IntegerKernel);

ApplyKernel apply_kernel(FunctionId id, DType dtype) {
  if (dtype == DType::f64) return apply_kernel_f64(id);
  if (is_float(dtype)) return apply_kernel_f32(id);
  const ApplyKernel kernel = HWY_DYNAMIC_DISPATCH(IntegerKernel)(id, dtype);
  ensure(kernel != nullptr, "a float function of integers");
  return kernel;
}

}  // namespace einsummable::cpu
#endif
