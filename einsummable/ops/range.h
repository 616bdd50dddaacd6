// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/ops/function_bodies.h"

namespace einsummable {

// Whether a comparison of ranges can hold, and whether it can fail.
struct Possible {
  bool yes = false, no = false;
};

// Every value that an expression may have when its operations are rounded to F, by interval
// arithmetic in long double: a bound for a kernel that needs no tolerance of its own, only those of
// the vocabulary. Has the vocabulary of functions.def.
template <class F>
struct Range {
  using L = long double;
  using Limits = std::numeric_limits<F>;
  static constexpr L kUlp = Limits::epsilon();
  static constexpr L kInfinity = std::numeric_limits<L>::infinity();

  L low = kInfinity, high = -kInfinity;  // of the numbers; none if low > high
  bool nan = false;                      // whether it may be NaN

  Range() = default;
  template <class N>
  requires(std::is_arithmetic_v<N>) Range(N number) {
    include(static_cast<L>(static_cast<F>(number)));
  }

  bool holds(F value) const {
    if (std::isnan(value)) return nan;
    return low <= static_cast<L>(value) && static_cast<L>(value) <= high;
  }

  void include(L value) {
    if (std::isnan(value)) {
      nan = true;
    } else {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }

  // What a result of the true value in this range may be if it is off by at most `ulps`.
  Range within(L ulps) const {
    Range r = *this;
    if (low > high) return r;
    r.low -=
        (std::isinf(low) || low == 0) ? 0 : ulps * (std::abs(low) * kUlp + Limits::denorm_min());
    r.high +=
        (std::isinf(high) || high == 0) ? 0 : ulps * (std::abs(high) * kUlp + Limits::denorm_min());
    const L most = Limits::max();
    if (r.high > most) r.high = kInfinity;
    if (r.low < -most) r.low = -kInfinity;
    if (r.low > most) r.low = std::isinf(low) ? kInfinity : most;
    if (r.high < -most) r.high = std::isinf(high) ? -kInfinity : -most;
    return r;
  }

  // A function that is monotone on the range.
  template <class G>
  static Range monotone(Range x, L ulps, G&& function) {
    Range r;
    r.nan = x.nan;
    if (x.low <= x.high) {
      r.include(function(x.low));
      r.include(function(x.high));
    }
    return r.within(ulps);
  }

  // A function whose extremes lie at the corners.
  template <class G>
  static Range corners(Range x, Range y, L ulps, G&& function) {
    Range r;
    r.nan = x.nan || y.nan;
    if (x.low > x.high || y.low > y.high) return r;
    for (L a : {x.low, x.high}) {
      for (L b : {y.low, y.high}) r.include(function(a, b));
    }
    return r.within(ulps);
  }

  friend Range operator+(Range x, Range y) {
    return corners(x, y, 0.5L, [](L a, L b) { return a + b; });
  }
  friend Range operator-(Range x, Range y) {
    return corners(x, y, 0.5L, [](L a, L b) { return a - b; });
  }
  friend Range operator*(Range x, Range y) {
    Range r = corners(x, y, 0.5L, [](L a, L b) { return a * b; });
    const auto infinite = [](Range v) { return std::isinf(v.low) || std::isinf(v.high); };
    const auto zero = [](Range v) { return v.low <= 0 && v.high >= 0; };
    if ((infinite(x) && zero(y)) || (infinite(y) && zero(x))) r.nan = true;
    return r;
  }
  friend Range operator/(Range x, Range y) {
    Range r = corners(x, y, 0.5L, [](L a, L b) { return a / b; });
    if (y.low < 0 && y.high > 0) r.low = -kInfinity, r.high = kInfinity, r.nan = true;
    return r;
  }
  friend Range operator-(Range x) {
    return monotone(x, 0, [](L a) { return -a; });
  }

  friend Possible operator<(Range x, Range y) {
    const bool numbers = x.low <= x.high && y.low <= y.high;
    return {numbers && x.low < y.high, x.nan || y.nan || !(x.high < y.low)};
  }
  friend Possible operator>(Range x, Range y) { return y < x; }
  friend Possible operator==(Range x, Range y) {
    const bool point = x.low == x.high && y.low == y.high && x.low == y.low;
    return {x.low <= y.high && y.low <= x.high, x.nan || y.nan || !point};
  }
  friend Possible operator!=(Range x, Range y) {
    const Possible same = x == y;
    return {same.no, same.yes};
  }
  friend Range select(Possible condition, Range x, Range y) {
    if (!condition.no) return x;
    if (!condition.yes) return y;
    Range r;
    r.low = std::min(x.low, y.low);
    r.high = std::max(x.high, y.high);
    r.nan = x.nan || y.nan;
    return r;
  }

  friend Range abs(Range x) {
    Range r = monotone(x, 0, [](L a) { return std::abs(a); });
    if (x.low < 0 && x.high > 0) r.low = 0;
    return r;
  }
  friend Range exp(Range x) {
    return monotone(x, 2, [](L a) { return std::exp(a); });
  }
  friend Range expm1(Range x) {
    return monotone(x, 4, [](L a) { return std::expm1(a); });
  }
  friend Range log(Range x) {
    return monotone(x, 4, [](L a) { return std::log(a); });
  }
  friend Range log1p(Range x) {
    return monotone(x, 4, [](L a) { return std::log1p(a); });
  }
  friend Range log2(Range x) {
    return monotone(x, 1, [](L a) { return std::log2(a); });
  }
  friend Range sqrt(Range x) {
    return monotone(x, 0.5L, [](L a) { return std::sqrt(a); });
  }
  friend Range tanh(Range x) {
    return monotone(x, 4, [](L a) { return std::tanh(a); });
  }
  friend Range erf(Range x) {
    return monotone(x, 2, [](L a) { return std::erf(a); });
  }
  friend Range floor(Range x) {
    return monotone(x, 0, [](L a) { return std::floor(a); });
  }
  friend Range ceil(Range x) {
    return monotone(x, 0, [](L a) { return std::ceil(a); });
  }
  friend Range round(Range x) {
    return monotone(x, 0, [](L a) { return std::nearbyint(a); });
  }
  friend Range trunc(Range x) {
    return monotone(x, 0, [](L a) { return std::trunc(a); });
  }
  friend Range maximum(Range x, Range y) {
    return corners(x, y, 0, [](L a, L b) { return std::max(a, b); });
  }
  friend Range minimum(Range x, Range y) {
    return corners(x, y, 0, [](L a, L b) { return std::min(a, b); });
  }

  // Of points only.
  friend Range sin(Range x) {
    return monotone(x, 3, [](L a) { return std::sin(a); });
  }
  friend Range cos(Range x) {
    return monotone(x, 3, [](L a) { return std::cos(a); });
  }
  // 1 to any power and anything to the power 0 are 1, even of NaN.
  friend Range pow(Range x, Range y) {
    const auto power = [](L a, L b) { return std::pow(a, b); };
    if (x.nan) x = Range(), x.low = x.high = std::numeric_limits<L>::quiet_NaN();
    if (y.nan) y = Range(), y.low = y.high = std::numeric_limits<L>::quiet_NaN();
    return corners(x, y, 1, power);
  }
  friend Range atan2(Range x, Range y) {
    return corners(x, y, 1, [](L a, L b) { return std::atan2(a, b); });
  }
  friend Range remainder(Range x, Range y) {
    return corners(x, y, 1, [](L a, L b) { return remainder(Real<L>(a), Real<L>(b)).value; });
  }
  friend Range floor_divide(Range x, Range y) {
    return corners(x, y, 2, [](L a, L b) { return floor_divide(Real<L>(a), Real<L>(b)).value; });
  }
};

}  // namespace einsummable
