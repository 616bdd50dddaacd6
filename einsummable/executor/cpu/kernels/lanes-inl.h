// SPDX-License-Identifier: Apache-2.0
//
// A vector of floats with the vocabulary of functions.def, for the target that is being compiled.
// Every result depends on its own lane only, so an element has the same bits wherever it lies.

#if defined(EINSUMMABLE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EINSUMMABLE_LANES_INL_H_
#undef EINSUMMABLE_LANES_INL_H_
#else
#define EINSUMMABLE_LANES_INL_H_
#endif

#include <cmath>
#include <limits>
#include <type_traits>

#include "einsummable/ops/function_bodies.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

// One truth a lane.
template <class T>
struct Truths {
  hn::Mask<Tag<T>> mask;

  friend HWY_INLINE Truths operator&&(Truths x, Truths y) { return {hn::And(x.mask, y.mask)}; }
  friend HWY_INLINE Truths operator||(Truths x, Truths y) { return {hn::Or(x.mask, y.mask)}; }
  friend HWY_INLINE Truths operator!(Truths x) { return {hn::Not(x.mask)}; }
};

template <class T>
struct Lanes {
  using V = hn::Vec<Tag<T>>;
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
  static constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  static constexpr bool kSingle = std::is_same_v<T, float>;

  V v;

  HWY_INLINE Lanes(V vector) : v(vector) {}
  template <class N>
  requires(std::is_arithmetic_v<N>) HWY_INLINE Lanes(N number)
      : v(hn::Set(Tag<T>(), static_cast<T>(number))) {}

  friend HWY_INLINE Lanes operator+(Lanes x, Lanes y) { return hn::Add(x.v, y.v); }
  friend HWY_INLINE Lanes operator-(Lanes x, Lanes y) { return hn::Sub(x.v, y.v); }
  friend HWY_INLINE Lanes operator*(Lanes x, Lanes y) { return hn::Mul(x.v, y.v); }
  friend HWY_INLINE Lanes operator/(Lanes x, Lanes y) { return hn::Div(x.v, y.v); }
  friend HWY_INLINE Lanes operator-(Lanes x) { return hn::Xor(x.v, Lanes(-0.0).v); }
  friend HWY_INLINE Truths<T> operator<(Lanes x, Lanes y) { return {hn::Lt(x.v, y.v)}; }
  friend HWY_INLINE Truths<T> operator<=(Lanes x, Lanes y) { return {hn::Le(x.v, y.v)}; }
  friend HWY_INLINE Truths<T> operator>(Lanes x, Lanes y) { return {hn::Gt(x.v, y.v)}; }
  friend HWY_INLINE Truths<T> operator>=(Lanes x, Lanes y) { return {hn::Ge(x.v, y.v)}; }
  friend HWY_INLINE Truths<T> operator==(Lanes x, Lanes y) { return {hn::Eq(x.v, y.v)}; }
  friend HWY_INLINE Truths<T> operator!=(Lanes x, Lanes y) { return !(x == y); }
  friend HWY_INLINE Lanes select(Truths<T> condition, Lanes x, Lanes y) {
    return hn::IfThenElse(condition.mask, x.v, y.v);
  }

  friend HWY_INLINE Lanes abs(Lanes x) { return hn::Abs(x.v); }
  friend HWY_INLINE Lanes sqrt(Lanes x) { return hn::Sqrt(x.v); }
  friend HWY_INLINE Lanes floor(Lanes x) { return hn::Floor(x.v); }
  friend HWY_INLINE Lanes ceil(Lanes x) { return hn::Ceil(x.v); }
  friend HWY_INLINE Lanes round(Lanes x) { return hn::Round(x.v); }
  friend HWY_INLINE Lanes trunc(Lanes x) { return hn::Trunc(x.v); }
  friend HWY_INLINE Lanes maximum(Lanes x, Lanes y) { return select(x > y || x != x, x, y); }
  friend HWY_INLINE Lanes minimum(Lanes x, Lanes y) { return select(x < y || x != x, x, y); }

  // Beyond the bounds e^x is 0 or infinite and so is the result at the bound.
  friend HWY_INLINE Lanes exp(Lanes x) {
    const Lanes low = kSingle ? -104.5 : -1000.0, high = kSingle ? 89.0 : 710.0;
    const Lanes bounded = hn::Max(hn::Min(x.v, high.v), low.v);
    return select(x == x, hn::Exp(Tag<T>(), bounded.v), x);
  }

  friend HWY_INLINE Lanes expm1(Lanes x) {
    const Lanes low = kSingle ? -104.5 : -1000.0, high = kSingle ? 89.0 : 710.0;
    const Lanes bounded = hn::Max(hn::Min(x.v, high.v), low.v);
    return select(abs(x) > Lanes(0), hn::Expm1(Tag<T>(), bounded.v), x);
  }

  friend HWY_INLINE Lanes log(Lanes x) {
    const Lanes inside = hn::Log(Tag<T>(), x.v);
    const Lanes outside = select(x == Lanes(0), Lanes(-kInfinity), Lanes(kNaN));
    const Lanes positive = select(x == Lanes(kInfinity), x, inside);
    return select(x > Lanes(0), positive, outside);
  }

  friend HWY_INLINE Lanes log1p(Lanes x) {
    const Lanes inside = hn::Log1p(Tag<T>(), x.v);
    const Lanes outside = select(x == Lanes(-1), Lanes(-kInfinity), Lanes(kNaN));
    const Lanes finite = select(x == Lanes(kInfinity), x, inside);
    return select(x > Lanes(-1), finite, outside);
  }

  friend HWY_INLINE Lanes tanh(Lanes x) {
    return select(abs(x) > Lanes(0), hn::Tanh(Tag<T>(), x.v), x);
  }

  // The reduction of larger arguments to a period would lose too much.
  friend HWY_INLINE Lanes sin(Lanes x) {
    const Truths<T> near = abs(x) < Lanes(kPeriodic);
    const Lanes result = hn::Sin(Tag<T>(), x.v);
    if (HWY_LIKELY(hn::AllTrue(Tag<T>(), near.mask))) return result;
    return select(near, result, each(x, x, [](T a, T) { return std::sin(a); }));
  }

  friend HWY_INLINE Lanes cos(Lanes x) {
    const Truths<T> near = abs(x) < Lanes(kPeriodic);
    const Lanes result = hn::Cos(Tag<T>(), x.v);
    if (HWY_LIKELY(hn::AllTrue(Tag<T>(), near.mask))) return result;
    return select(near, result, each(x, x, [](T a, T) { return std::cos(a); }));
  }

  // In float32, two minimax polynomials: x + x P(x^2) up to 1, and 1 - e^(-x + x Q(x)) to 4, from
  // where the result is 1.
  friend HWY_INLINE Lanes erf(Lanes x) {
    if constexpr (!kSingle) {
      return each(x, x, [](T a, T) { return std::erf(a); });
    } else {
      const Lanes t = abs(x), s = x * x;
      const Lanes near =
          polynomial(s, 7.854008435970172e-05, -8.010242017917335e-4, 5.188333801925182e-3,
                     -2.6853814721107483e-2, 1.128358542919159e-1, -3.761262595653534e-1,
                     1.2837916612625122e-1);
      const Lanes inside = hn::MulAdd(near.v, x.v, x.v);
      const Lanes u = hn::Min(t.v, Lanes(4).v);
      const Lanes far = polynomial(
          u, -1.3962444427306764e-05, 3.5059204674325883e-4, -3.757476806640625e-3,
          2.4010069668293e-2, -1.0653086751699448e-1, -6.349695324897766e-1, -1.286943405866623e-1);
      const Lanes exponent = hn::MulSub(far.v, u.v, u.v);
      const Lanes outside = Lanes(1) - Lanes(hn::Exp(Tag<T>(), exponent.v));
      return select(t > Lanes(1), hn::CopySignToAbs(outside.v, x.v), inside);
    }
  }

  friend HWY_INLINE Lanes log2(Lanes x) {
    return each(x, x, [](T a, T) { return std::log2(a); });
  }
  friend HWY_INLINE Lanes pow(Lanes x, Lanes y) {
    return each(x, y, [](T a, T b) { return std::pow(a, b); });
  }
  friend HWY_INLINE Lanes atan2(Lanes x, Lanes y) {
    return each(x, y, [](T a, T b) { return std::atan2(a, b); });
  }
  friend HWY_INLINE Lanes remainder(Lanes x, Lanes y) {
    return each(x, y, [](T a, T b) { return remainder(Real<T>(a), Real<T>(b)).value; });
  }
  friend HWY_INLINE Lanes floor_divide(Lanes x, Lanes y) {
    return each(x, y, [](T a, T b) { return floor_divide(Real<T>(a), Real<T>(b)).value; });
  }

 private:
  static constexpr T kPeriodic = 30000;

  template <class F>
  static HWY_INLINE Lanes each(Lanes x, Lanes y, F&& function) {
    const Tag<T> d;
    HWY_ALIGN T xs[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN T ys[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(x.v, d, xs);
    hn::Store(y.v, d, ys);
    for (size_t i = 0; i < hn::Lanes(d); ++i) xs[i] = function(xs[i], ys[i]);
    return hn::Load(d, xs);
  }

  // The first coefficient is that of the highest power.
  template <class... Rest>
  static HWY_INLINE Lanes polynomial(Lanes x, double first, Rest... rest) {
    Lanes sum = first;
    ((sum = hn::MulAdd(sum.v, x.v, Lanes(rest).v)), ...);
    return sum;
  }
};

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
