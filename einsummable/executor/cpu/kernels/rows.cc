// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/rows.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/rows.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"

#include "einsummable/executor/cpu/kernels/exp-inl.h"
#include "einsummable/executor/cpu/kernels/wide-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double sum(const T* x, int64_t n) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, load_wide(d, x + i));
    s1 = hn::Add(s1, load_wide(d, x + i + lanes));
    s2 = hn::Add(s2, load_wide(d, x + i + 2 * lanes));
    s3 = hn::Add(s3, load_wide(d, x + i + 3 * lanes));
  }
  double result = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) result += static_cast<double>(x[i]);
  return result;
}

// The extreme element by `better`, a vector function, and its scalar kind.
template <class T, class Better, class BetterOfLanes, class BetterOfTwo>
HWY_INLINE T extreme(const T* x, int64_t n, T none, Better&& better, BetterOfLanes&& of_lanes,
                     BetterOfTwo&& of_two) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto m0 = hn::Set(d, none), m1 = m0;
  auto nan = hn::IsNaN(m0);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
    m0 = better(m0, a);
    m1 = better(m1, b);
    nan = hn::Or(nan, hn::Or(hn::IsNaN(a), hn::IsNaN(b)));
  }
  bool any_nan = !hn::AllFalse(d, nan);
  T result = hn::GetLane(of_lanes(d, better(m0, m1)));
  for (; i < n; ++i) {
    any_nan |= x[i] != x[i];
    result = of_two(result, x[i]);
  }
  return any_nan ? std::numeric_limits<T>::quiet_NaN() : result;
}

template <class T>
T largest(const T* x, int64_t n) {
  return extreme(
      x, n, -std::numeric_limits<T>::infinity(),
      [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); },
      [](auto d, auto v) HWY_ATTR { return hn::MaxOfLanes(d, v); },
      [](T a, T b) { return std::max(a, b); });
}

template <class T>
T smallest(const T* x, int64_t n) {
  return extreme(
      x, n, std::numeric_limits<T>::infinity(),
      [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); },
      [](auto d, auto v) HWY_ATTR { return hn::MinOfLanes(d, v); },
      [](T a, T b) { return std::min(a, b); });
}

template <class T>
T exponentiate(const T* x, T shift, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto at = hn::Set(d, shift);
  const auto terms = [&](const T* from, T* to) HWY_ATTR {
    const auto term = exp_of_nonpositive(d, hn::Sub(hn::LoadU(d, from), at));
    if (to != nullptr) hn::StoreU(term, d, to);
    return term;
  };
  auto s0 = hn::Zero(d), s1 = s0;
  int64_t i = 0;
  const auto to = [&](int64_t j) { return y == nullptr ? nullptr : y + j; };
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    s0 = hn::Add(s0, terms(x + i, to(i)));
    s1 = hn::Add(s1, terms(x + i + lanes, to(i + lanes)));
  }
  for (; i < n; i += lanes) {
    const int64_t count = std::min(lanes, n - i);
    T tail[HWY_MAX_BYTES / sizeof(T)];
    std::fill_n(tail, lanes, -std::numeric_limits<T>::infinity());
    std::copy_n(x + i, count, tail);
    // Only what there is counts: -inf - -inf would not be 0.
    const auto mask = hn::FirstN(d, static_cast<size_t>(count));
    s0 = hn::Add(s0, hn::IfThenElseZero(mask, terms(tail, tail)));
    if (y != nullptr) std::copy_n(tail, count, y + i);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

template <class T>
bool finite(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto zero = hn::Zero(d);  // stays zero, or becomes NaN
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) zero = hn::MulAdd(hn::LoadU(d, x + i), hn::Zero(d), zero);
  bool result = hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)));
  for (; i < n; ++i) result &= x[i] * 0 == 0;
  return result;
}

double SumF32(const float* x, int64_t n) { return sum(x, n); }
double SumF64(const double* x, int64_t n) { return sum(x, n); }
float MaxF32(const float* x, int64_t n) { return largest(x, n); }
double MaxF64(const double* x, int64_t n) { return largest(x, n); }
float MinF32(const float* x, int64_t n) { return smallest(x, n); }
double MinF64(const double* x, int64_t n) { return smallest(x, n); }
bool FiniteF32(const float* x, int64_t n) { return finite(x, n); }
bool FiniteF64(const double* x, int64_t n) { return finite(x, n); }
float ExpF32(const float* x, float shift, float* y, int64_t n) {
  return exponentiate(x, shift, y, n);
}
double ExpF64(const double* x, double shift, double* y, int64_t n) {
  return exponentiate(x, shift, y, n);
}

}  // namespace
}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace einsummable::cpu {

HWY_EXPORT(SumF32);
HWY_EXPORT(SumF64);
HWY_EXPORT(MaxF32);
HWY_EXPORT(MaxF64);
HWY_EXPORT(MinF32);
HWY_EXPORT(MinF64);
HWY_EXPORT(FiniteF32);
HWY_EXPORT(FiniteF64);
HWY_EXPORT(ExpF32);
HWY_EXPORT(ExpF64);

double sum_of(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(SumF32)(x, n); }
double sum_of(const double* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(SumF64)(x, n); }
float max_of(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(MaxF32)(x, n); }
double max_of(const double* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(MaxF64)(x, n); }
float min_of(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(MinF32)(x, n); }
double min_of(const double* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(MinF64)(x, n); }
bool all_finite(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(FiniteF32)(x, n); }
bool all_finite(const double* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(FiniteF64)(x, n); }
float exponentials(const float* x, float shift, float* y, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ExpF32)(x, shift, y, n);
}
double exponentials(const double* x, double shift, double* y, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(ExpF64)(x, shift, y, n);
}

}  // namespace einsummable::cpu
#endif  // HWY_ONCE
