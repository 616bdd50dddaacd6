// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/error_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "einsummable/ops/elementwise.h"
#include "einsummable/ops/function_range.h"
#include "einsummable/ops/whole_reference.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 0x1p53;  // integers below are exact in float64

// The inputs changed, where they are floats.
template <class Change>
std::vector<Array64> changed(const Operator& op, std::vector<Array64> inputs,
                             const Change& change) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_float(op.inputs()[i].dtype)) continue;
    std::vector<double>& values = inputs[i].values();
    for (size_t at = 0; at < values.size(); ++at) values[at] = change(i, at, values[at]);
  }
  return inputs;
}

// The inputs as absolute values, every other one times `odd`. What is infinite or NaN counts as 0:
// an element that is finite all the same does not come from it.
std::vector<Array64> absolute(const Operator& op, const std::vector<Array64>& inputs, double odd) {
  return changed(op, inputs, [&](size_t i, size_t, double x) {
    return std::isfinite(x) ? (i % 2 ? odd : 1) * std::abs(x) : 0;
  });
}

// How large the summands of every element are: the operator on absolute values, every other input
// also negative, so that no difference cancels.
std::vector<Array64> magnitudes(const Operator& op, const std::vector<Array64>& inputs) {
  std::vector<Array64> out = whole_reference(op, absolute(op, inputs, 1));
  if (inputs.size() < 2) return out;
  const std::vector<Array64> other = whole_reference(op, absolute(op, inputs, -1));
  for (size_t o = 0; o < out.size(); ++o) {
    for (size_t i = 0; i < out[o].values().size(); ++i) {
      double& value = out[o].values()[i];
      value = std::fmax(std::abs(value), std::abs(other[o].values()[i]));
    }
  }
  return out;
}

// How large the exponents are that weights are made of: what rounding them is off by is by how
// much, as a part of it, the weight is.
double largest_exponent(const Operator& op, const std::vector<Array64>& inputs, size_t o) {
  double largest = 0;
  for (double odd : {1, -1}) {
    const auto partials = whole_partials(op, absolute(op, inputs, odd));
    for (double lse : partials[o][1].values()) {
      if (std::isfinite(lse)) largest = std::max(largest, std::abs(lse));
    }
  }
  return largest;
}

// The operator on inputs that are off by one rounding, up or down as a fixed hash of the place.
std::vector<Array64> disturbed(const Operator& op, const std::vector<Array64>& inputs, double u) {
  return whole_reference(op, changed(op, inputs, [&](size_t i, size_t at, double x) {
                           const uint64_t hash = (at + 1 + 7919 * i) * 0x9e3779b97f4a7c15;
                           return x * (hash >> 63 ? 1 + u : 1 - u);
                         }));
}

// Whether an index is missing from the output: its elements are merged from many.
bool is_aggregated(const Signature& signature, size_t output) {
  std::vector<char> seen(signature.indices.size(), 0);
  for (const AxisMap& axis : signature.outputs[output].axes) {
    for (const Term& term : axis.terms) seen[static_cast<size_t>(term.index)] = 1;
  }
  return std::ranges::find(seen, 0) != seen.end();
}

bool merges_values(Merge merge) {
  return merge == Merge::sum || merge == Merge::prod || merge == Merge::max || merge == Merge::min;
}

// Operations an element of the output, and at least the length of the longest line of an input.
double steps_of(const Operator& op, const AllowedValues& out, bool aggregated) {
  FunctionSpec whole;
  for (const TensorType& type : op.inputs()) whole.inputs.push_back(type.bounds);
  for (const TensorType& type : op.outputs()) whole.outputs.push_back(type.bounds);
  double steps = op.flops(whole) / std::max(1.0, static_cast<double>(out.expected.size()));
  for (const TensorType& type : op.inputs()) {
    if (aggregated) break;
    for (int64_t extent : type.shape()) steps = std::max(steps, static_cast<double>(extent));
  }
  return steps;
}

// Sets what element i may be if it is within `bound` before it is rounded.
void allow(AllowedValues& out, size_t i, double bound, DType dtype) {
  out.low[i] = rounded(out.expected[i] - bound, dtype);
  out.high[i] = rounded(out.expected[i] + bound, dtype);
}

void allow_integers(AllowedValues& out, DType dtype, const Array64& magnitude) {
  for (size_t i = 0; i < out.expected.size(); ++i) {
    const double want = out.expected[i];
    const bool fits = std::trunc(want) == rounded(want, dtype) || dtype == DType::boolean;
    const bool exact = std::abs(want) < kExact && std::abs(magnitude.values()[i]) < kExact;
    if (fits && exact) {
      allow(out, i, 0, dtype);
    } else {
      out.any[i] = 1;
    }
  }
}

// A float or a cast without arithmetic. A float64 may become a 16-bit float by way of float32.
void allow_equal(AllowedValues& out, DType dtype) {
  const double by_way = size_of(dtype) == 2 ? unit_roundoff(DType::f32) : 0;
  for (size_t i = 0; i < out.expected.size(); ++i) {
    const double want = out.expected[i];
    allow(out, i, std::isfinite(want) ? by_way * std::abs(want) : 0, dtype);
  }
}

void allow_elementwise(AllowedValues& out, const Operator& op, const std::vector<Array64>& inputs) {
  const Application application = *application_of(op);
  const TensorType& type = op.outputs()[0];
  std::vector<int64_t> from;
  size_t i = 0;
  for_each_position(type.bounds, [&](std::span<const int64_t> at) {
    std::array<double, 3> operands = {};
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Box& box = inputs[k].bounds();
      from.assign(at.end() - static_cast<int64_t>(box.size()), at.end());
      for (size_t axis = 0; axis < box.size(); ++axis) {
        if (box[axis].length() == 1) from[axis] = 0;
      }
      operands[k] = inputs[k].at(from);
    }
    const ValueRange range =
        function_range(application.function, op.inputs().back().dtype, application.parameter,
                       operands[0], operands[1], operands[2]);
    out.any[i] = range.nan && !std::isnan(out.expected[i]);
    out.low[i] = rounded(range.low, type.dtype);
    out.high[i] = rounded(range.high, type.dtype);
    ++i;
  });
}

// The outputs of an operator, and what their bounds are made of.
struct Evaluation {
  const Operator& op;
  const std::vector<Array64>& inputs;
  std::optional<DType> partial_dtype;
  std::vector<Array64> expected, magnitude;

  void allow_sums(AllowedValues& out, size_t o, double partials) const {
    const TensorType& type = op.outputs()[o];
    const PartialType partial = with_sums_in(op.partial(o), partial_dtype);
    const DType accumulated = accumulation(type.dtype);
    const double u = unit_roundoff(accumulated);
    const DType travels = partial.components[0].dtype;
    const double v = partials > 1 ? unit_roundoff(travels) : 0;
    const bool alone = is_aggregated(op.signatures()[0], o) && merges_values(partial.merge);
    // A weight that underflows keeps an infinity or NaN out that a wider exponent lets in.
    const bool weighted = partial.merge == Merge::weighted_mean;
    const double exponent = weighted ? largest_exponent(op, inputs, o) : 0;
    const double steps = ((steps_of(op, out, alone) + 8) * u + partials * v) * (1 + exponent);
    const std::vector<double>& magnitudes = magnitude[o].values();
    std::vector<double> moved(alone ? 0 : out.expected.size());
    double largest = 0;
    if (!alone) {
      moved = disturbed(op, inputs, u)[o].values();
      for (double want : out.expected) {
        if (std::isfinite(want)) largest = std::max(largest, std::abs(want));
      }
    }
    const double underflow = partials > 1 && travels == DType::f16 ? partials * 0x1p-24 : 0;
    const double least =
        underflow + (accumulated == DType::f64 && travels == DType::f64 ? 0x1p-1022 : 0x1p-126);
    for (size_t i = 0; i < out.expected.size(); ++i) {
      const double want = out.expected[i];
      double size = std::fmax(std::abs(magnitudes[i]), largest);
      if (std::isfinite(want)) size = std::max(size, std::abs(want));
      if (!alone && std::isfinite(moved[i])) size += std::abs(moved[i] - want) / u;
      if ((std::isinf(rounded(size, accumulated)) && std::isfinite(want)) ||
          (weighted && !std::isfinite(want))) {
        out.any[i] = 1;
      } else {
        allow(out, i, std::isfinite(want) ? steps * size + least : 0, type.dtype);
      }
    }
  }
};

// Whether some integer of the inputs is beyond what float64 holds.
bool beyond_float64(const Operator& op, const std::vector<Array64>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op.inputs()[i].dtype != DType::i64) continue;
    const auto large = [](double value) { return std::abs(value) >= kExact; };
    if (std::ranges::any_of(inputs[i].values(), large)) return true;
  }
  return false;
}

}  // namespace

bool AllowedValues::hold(size_t i, double value) const {
  if (any[i]) return true;
  if (std::isnan(expected[i])) return std::isnan(value);
  return low[i] <= value && value <= high[i];
}

double AllowedValues::bound(size_t i) const {
  if (any[i]) return kInfinity;
  if (!std::isfinite(expected[i])) return 0;
  return std::max(high[i] - expected[i], expected[i] - low[i]);
}

std::vector<AllowedValues> allowed_values(const Operator& op, const std::vector<Array64>& inputs,
                                          std::span<const int64_t> partials,
                                          std::optional<DType> partial_dtype) {
  Evaluation evaluation{op, inputs, partial_dtype, whole_reference(op, inputs), {}};
  const bool layout = op.signatures()[0].layout;
  const bool exact = layout || op.elementwise();
  evaluation.magnitude = exact ? evaluation.expected : magnitudes(op, inputs);
  const bool lossy = beyond_float64(op, inputs);
  std::vector<AllowedValues> out;
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    const DType dtype = op.outputs()[o].dtype;
    const std::vector<double>& want = evaluation.expected[o].values();
    AllowedValues& allowed =
        out.emplace_back(AllowedValues{want, want, want, std::vector<char>(want.size(), lossy)});
    if (lossy) continue;
    if (!is_float(dtype)) {
      allow_integers(allowed, dtype, evaluation.magnitude[o]);
    } else if (layout || (op.elementwise() && !application_of(op))) {
      allow_equal(allowed, dtype);
    } else if (op.elementwise()) {
      allow_elementwise(allowed, op, inputs);
    } else {
      evaluation.allow_sums(allowed, o, static_cast<double>(partials[o]));
    }
  }
  return out;
}

}  // namespace einsummable
