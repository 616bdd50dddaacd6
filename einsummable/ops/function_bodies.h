// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "einsummable/ops/functions.h"

namespace einsummable {

// The expression of a function over any type that has the vocabulary of functions.def, found by
// argument-dependent lookup: FunctionBody<FunctionId::add>::evaluate(x, y, z, a) is x + y.
template <FunctionId id>
struct FunctionBody;

#define ES_FUNCTION_WITH(name, arity, operands, result_rule, default_value, expression, doc) \
  template <>                                                                                \
  struct FunctionBody<FunctionId::name> {                                                    \
    static constexpr Result result = Result::result_rule;                                    \
    template <class T>                                                                       \
    static inline auto evaluate([[maybe_unused]] const T& x, [[maybe_unused]] const T& y,    \
                                [[maybe_unused]] const T& z, [[maybe_unused]] const T& a) {  \
      return (expression);                                                                   \
    }                                                                                        \
  };
#define ES_FUNCTION(name, arity, operands, result_rule, expression, doc) \
  ES_FUNCTION_WITH(name, arity, operands, result_rule, 0, expression, doc)
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH

// A float with the vocabulary, one at a time.
template <class F>
struct Real {
  F value;

  Real(F v) : value(v) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, F>) Real(N number)
      : value(static_cast<F>(number)) {}

  friend Real operator+(Real x, Real y) { return x.value + y.value; }
  friend Real operator-(Real x, Real y) { return x.value - y.value; }
  friend Real operator*(Real x, Real y) { return x.value * y.value; }
  friend Real operator/(Real x, Real y) { return x.value / y.value; }
  friend Real operator-(Real x) { return -x.value; }
  friend bool operator<(Real x, Real y) { return x.value < y.value; }
  friend bool operator<=(Real x, Real y) { return x.value <= y.value; }
  friend bool operator>(Real x, Real y) { return x.value > y.value; }
  friend bool operator>=(Real x, Real y) { return x.value >= y.value; }
  friend bool operator==(Real x, Real y) { return x.value == y.value; }
  friend bool operator!=(Real x, Real y) { return x.value != y.value; }
  friend Real abs(Real x) { return std::abs(x.value); }
  friend Real exp(Real x) { return std::exp(x.value); }
  friend Real expm1(Real x) { return std::expm1(x.value); }
  friend Real log(Real x) { return std::log(x.value); }
  friend Real log1p(Real x) { return std::log1p(x.value); }
  friend Real log2(Real x) { return std::log2(x.value); }
  friend Real sqrt(Real x) { return std::sqrt(x.value); }
  friend Real sin(Real x) { return std::sin(x.value); }
  friend Real cos(Real x) { return std::cos(x.value); }
  friend Real tanh(Real x) { return std::tanh(x.value); }
  friend Real erf(Real x) { return std::erf(x.value); }
  friend Real floor(Real x) { return std::floor(x.value); }
  friend Real ceil(Real x) { return std::ceil(x.value); }
  friend Real round(Real x) { return std::nearbyint(x.value); }
  friend Real trunc(Real x) { return std::trunc(x.value); }
  friend Real pow(Real x, Real y) { return std::pow(x.value, y.value); }
  friend Real atan2(Real x, Real y) { return std::atan2(x.value, y.value); }
  friend bool isinf(Real x) { return std::isinf(x.value); }
  friend bool isfinite(Real x) { return std::isfinite(x.value); }
  friend Real select(bool condition, Real x, Real y) { return condition ? x : y; }
  friend Real maximum(Real x, Real y) { return x > y || x != x ? x : y; }
  friend Real minimum(Real x, Real y) { return x < y || x != x ? x : y; }

  friend Real remainder(Real x, Real y) {
    const F r = std::fmod(x.value, y.value);
    if (r == 0) return std::copysign(F{0}, y.value);
    return (r < 0) != (y.value < 0) ? r + y.value : r;
  }

  // (x - remainder) / y is an integer but for rounding; as in Python and NumPy.
  friend Real floor_divide(Real x, Real y) {
    if (y.value == 0 || !std::isfinite(x.value) || std::isnan(y.value)) {
      return std::floor(x.value / y.value);
    }
    const F r = std::fmod(x.value, y.value);
    F quotient = (x.value - r) / y.value;
    if (r != 0 && (r < 0) != (y.value < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(F{0}, x.value / y.value);
    return std::nearbyint(quotient);
  }
};

// An integer with the vocabulary that integers have. Arithmetic wraps.
template <class I>
struct Integer {
  I value;
  using Unsigned = std::make_unsigned_t<I>;

  Integer(I v) : value(v) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, I>) Integer(N number)
      : value(static_cast<I>(number)) {}
  static Integer wrap(Unsigned bits) { return static_cast<I>(bits); }
  Unsigned bits() const { return static_cast<Unsigned>(value); }

  friend Integer operator+(Integer x, Integer y) { return wrap(x.bits() + y.bits()); }
  friend Integer operator-(Integer x, Integer y) { return wrap(x.bits() - y.bits()); }
  friend Integer operator*(Integer x, Integer y) { return wrap(x.bits() * y.bits()); }
  friend Integer operator-(Integer x) { return wrap(Unsigned{0} - x.bits()); }
  friend bool operator<(Integer x, Integer y) { return x.value < y.value; }
  friend bool operator<=(Integer x, Integer y) { return x.value <= y.value; }
  friend bool operator>(Integer x, Integer y) { return x.value > y.value; }
  friend bool operator>=(Integer x, Integer y) { return x.value >= y.value; }
  friend bool operator==(Integer x, Integer y) { return x.value == y.value; }
  friend bool operator!=(Integer x, Integer y) { return x.value != y.value; }
  friend Integer abs(Integer x) { return x.value < 0 ? -x : x; }
  friend Integer floor(Integer x) { return x; }
  friend Integer ceil(Integer x) { return x; }
  friend Integer round(Integer x) { return x; }
  friend Integer trunc(Integer x) { return x; }
  friend bool isinf(Integer) { return false; }
  friend bool isfinite(Integer) { return true; }
  friend Integer select(bool condition, Integer x, Integer y) { return condition ? x : y; }
  friend Integer maximum(Integer x, Integer y) { return x.value > y.value ? x : y; }
  friend Integer minimum(Integer x, Integer y) { return x.value < y.value ? x : y; }

  friend Integer remainder(Integer x, Integer y) {
    if (y.value == 0 || y.value == -1) return 0;
    const I r = x.value % y.value;
    return r != 0 && (r < 0) != (y.value < 0) ? r + y.value : r;
  }

  friend Integer floor_divide(Integer x, Integer y) {
    if (y.value == 0) return 0;
    if (y.value == -1) return -x;
    const I quotient = x.value / y.value;
    const bool down = x.value % y.value != 0 && (x.value < 0) != (y.value < 0);
    return down ? quotient - 1 : quotient;
  }

  friend Integer pow(Integer x, Integer y) {
    if (y.value < 0) {
      if (x.value == 1) return 1;
      if (x.value == -1) return y.value % 2 == 0 ? 1 : -1;
      return 0;
    }
    Integer result = 1;
    for (I exponent = y.value; exponent != 0; exponent /= 2) {
      if (exponent % 2 == 1) result = result * x;
      x = x * x;
    }
    return result;
  }
};

}  // namespace einsummable
