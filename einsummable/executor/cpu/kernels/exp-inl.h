// SPDX-License-Identifier: Apache-2.0
// Included once a SIMD target: no #pragma once.
#if defined(EINSUMMABLE_EXECUTOR_CPU_KERNELS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EINSUMMABLE_EXECUTOR_CPU_KERNELS_EXP_INL_H_
#undef EINSUMMABLE_EXECUTOR_CPU_KERNELS_EXP_INL_H_
#else
#define EINSUMMABLE_EXECUTOR_CPU_KERNELS_EXP_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

// e^x for x <= 0 within 2 ulp, or 2 ulp of the least normal number; NaN stays NaN, -inf gives 0.
template <class D, class V>
HWY_INLINE V exp_of_nonpositive(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
