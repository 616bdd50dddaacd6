// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/base/text.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

bool is_exact(Merge merge, bool integers) {
  switch (merge) {
    case Merge::max:
    case Merge::min:
    case Merge::first_max:
      return true;
    case Merge::sum:
      return integers;
    case Merge::prod:
    case Merge::log_sum_exp:
    case Merge::weighted_mean:
      return false;
  }
  return false;
}

// The longest contraction that any element of an output can have: the elements of the inputs.
double longest_contraction(const Operator& op) {
  double longest = 1;
  for (const TensorType& input : op.inputs()) {
    longest = std::max(longest, static_cast<double>(input.elements()));
  }
  return longest;
}

// The operator applied to absolute values: sum |a||b| of a contraction.
std::vector<Array64> magnitudes(const Operator& op, std::vector<Array64> inputs) {
  for (Array64& input : inputs) {
    for (double& value : input.values()) value = std::abs(value);
  }
  return whole_reference(op, inputs);
}

double largest_finite(const std::vector<Array64>& arrays) {
  double largest = 1;
  for (const Array64& array : arrays) {
    for (double value : array.values()) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

// Merges that exponentiate average values, or take logarithms: errors are relative to the largest
// value, not to the result.
double least_magnitude(Merge merge, const std::vector<Array64>& inputs) {
  const bool exponential = merge == Merge::log_sum_exp || merge == Merge::weighted_mean;
  return exponential ? 4 * largest_finite(inputs) : 0;
}

bool agree(double expected, double found, double bound) {
  if (std::isnan(expected)) return std::isnan(found);
  return expected == found || std::abs(expected - found) <= bound;
}

}  // namespace

Agreement agreement_of(const Operator& op, const JoinAggSpec& spec, bool integers) {
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    if (spec.partials(o) > 1 && !is_exact(op.partial(o).merge, integers)) return Agreement::bound;
  }
  return Agreement::bits;
}

std::string difference(const Operator& op, const JoinAggSpec& spec, Agreement agreement,
                       const std::vector<Array64>& inputs, const std::vector<Array64>& expected,
                       const std::vector<Array64>& found) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  const bool bounded = agreement == Agreement::bound;
  const auto magnitude = bounded ? magnitudes(op, inputs) : expected;
  for (size_t o = 0; o < expected.size(); ++o) {
    const double steps = longest_contraction(op) + static_cast<double>(spec.partials(o));
    const double least = bounded ? least_magnitude(op.partial(o).merge, inputs) : 0;
    for (size_t i = 0; i < expected[o].values().size(); ++i) {
      const double want = expected[o].values()[i], got = found[o].values()[i];
      // Infinite where an input is; a log-sum-exp over -inf is finite all the same.
      const double spread = std::abs(magnitude[o].values()[i]);
      const double size = std::max({least, std::abs(want), std::isfinite(spread) ? spread : 0});
      if (agree(want, got, bounded && std::isfinite(want) ? steps * unit * size : 0)) continue;
      return "element " + std::to_string(i) + " of output " + std::to_string(o) + " is " +
             float_text(got) + " instead of " + float_text(want);
    }
  }
  return "";
}

}  // namespace einsummable
