// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/ops/functions.h"

namespace einsummable {

// The numbers from `low` to `high`, none if low > high; and perhaps NaN.
struct ValueRange {
  double low = 0, high = 0;
  bool nan = false;
};

// All that a kernel may give for a function of floats of `dtype`, computed in float64 for float64
// and in float32 for the others: each step of its expression off by at most the few units in the
// last place that a step of its kind may be. Of functions whose result is not a bool.
ValueRange function_range(FunctionId id, DType dtype, double parameter, double x, double y,
                          double z);

}  // namespace einsummable
