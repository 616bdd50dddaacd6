// SPDX-License-Identifier: Apache-2.0
// Included once a SIMD target: no #pragma once.
#if defined(EINSUMMABLE_EXECUTOR_CPU_KERNELS_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EINSUMMABLE_EXECUTOR_CPU_KERNELS_WIDE_INL_H_
#undef EINSUMMABLE_EXECUTOR_CPU_KERNELS_WIDE_INL_H_
#else
#define EINSUMMABLE_EXECUTOR_CPU_KERNELS_WIDE_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

// Vectors of double, whatever is read.
using Wide = hwy::HWY_NAMESPACE::ScalableTag<double>;

HWY_INLINE auto load_wide(Wide d, const double* x) { return hwy::HWY_NAMESPACE::LoadU(d, x); }
HWY_INLINE auto load_wide(Wide d, const float* x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Wide>(), x));
}

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
