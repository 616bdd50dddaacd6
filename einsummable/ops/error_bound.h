// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "einsummable/ops/operator.h"

namespace einsummable {

// What a correct program may make of one output: by element, row-major.
struct AllowedValues {
  std::vector<double> expected;   // by the float64 reference, not rounded
  std::vector<double> low, high;  // the least and the largest allowed
  std::vector<char> any;          // whether everything is allowed

  // Whether element i may have this value. NaN is expected of NaN alone, and of it always.
  bool hold(size_t i, double value) const;
  // The most that element i may be off; 0 if it must be equal, infinite if all is allowed.
  double bound(size_t i) const;
};

// What any correct program may give for an operator's outputs, from exactly these inputs, cut into
// `partials` partial results an output (float sums in `partial_dtype`, if there is one), by what
// rounding can do in the dtypes that the operator states. u is half a unit in the last place of the
// accumulation, v of the partial type, K the operations an element.
//   integers, bools     equal, where float64 holds them (below 2^53) and they did not overflow
//   layout, casts       equal, once rounded
//   elementwise         each step of the function's expression in interval arithmetic
//   contractions, sums  ((K + 8) u + partials v) m, m the same of the absolute inputs: the bound
//                       of a sum in any order (Higham, Accuracy and Stability, section 4.2)
//   others (norms, softmax, attention): the same with m the largest of the output's magnitudes, as
//                       they mix a row, beside it what changing inputs by u does, and in
//                       attention times the largest exponent
// All then rounded to the output's dtype. Everything is allowed where a sum of magnitudes
// overflows, and where attention averages infinities or NaN, whose weights may underflow or not.
std::vector<AllowedValues> allowed_values(const Operator& op, const std::vector<Array64>& inputs,
                                          std::span<const int64_t> partials,
                                          std::optional<DType> partial_dtype = {});

}  // namespace einsummable
