// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/conformance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/base/text.h"
#include "tests/conformance/structure.h"
#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"

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

// The operator applied to absolute values. What is infinite or NaN counts as 0: an element that is
// finite all the same does not come from it.
std::vector<Array64> magnitudes(const Operator& op, std::vector<Array64> inputs) {
  for (Array64& input : inputs) {
    for (double& value : input.values()) value = std::isfinite(value) ? std::abs(value) : 0;
  }
  return whole_reference(op, inputs);
}

// Merges that exponentiate average values, or take logarithms: errors are relative to the largest
// value, not to the result.
double least_magnitude(Merge merge, const std::vector<Array64>& inputs) {
  if (merge != Merge::log_sum_exp && merge != Merge::weighted_mean) return 0;
  double largest = 1;
  for (const Array64& array : inputs) {
    for (double value : array.values()) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  return 4 * largest;
}

bool agree(double expected, double found, double bound) {
  if (std::isnan(expected)) return std::isnan(found);
  return expected == found || std::abs(expected - found) <= bound;
}

std::string difference(const Operator& op, const JoinAggSpec& spec, const Trial& trial) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  const auto found = implemented(op, spec, trial.inputs);
  for (size_t o = 0; o < found.size(); ++o) {
    const Merge merge = op.partial(o).merge;
    const bool exact = spec.partials(o) == 1 || is_exact(merge, trial.integers);
    const double steps = longest_contraction(op) + static_cast<double>(spec.partials(o));
    const double least = least_magnitude(merge, trial.inputs);
    for (size_t i = 0; i < found[o].values().size(); ++i) {
      const double want = trial.expected[o].values()[i], got = found[o].values()[i];
      const double size =
          std::max({least, std::abs(want), std::abs(trial.magnitude[o].values()[i])});
      if (agree(want, got, !exact && std::isfinite(size) ? steps * unit * size : 0)) continue;
      return "element " + std::to_string(i) + " of output " + std::to_string(o) + " is " +
             float_text(got) + " instead of " + float_text(want) + " on " +
             (trial.integers ? "integers" : "reals");
    }
  }
  return "";
}

// Elements in memory, read through a layout.
Array64 read_through(const StridedLayout& layout, const std::vector<double>& memory,
                     const Box& block) {
  Array64 out(block);
  size_t next = 0;
  for_each_position(box_of(layout.shape), [&](std::span<const int64_t> at) {
    int64_t place = layout.offset;
    for (size_t i = 0; i < at.size(); ++i) place += at[i] * layout.strides[i];
    out.values().at(next++) = memory.at(static_cast<size_t>(place));
  });
  return out;
}

// A view of an input block, dense or in the midst of its tensor, holds what the reference gives.
std::string fault_of_view(const Operator& op, const FunctionSpec& cell, const Trial& trial) {
  if (op.inputs().size() != 1 || op.outputs().size() != 1) return "";
  const Box& block = cell.inputs[0];
  const Array64 dense = trial.inputs[0].project(block);
  const Array64 expected = partials_of(op, cell, trial.inputs)[0];
  const Shape whole = op.inputs()[0].shape();
  StridedLayout inside{0, shape_of(block), row_major_strides(whole)};
  for (size_t i = 0; i < block.size(); ++i) inside.offset += block[i].lo * inside.strides[i];
  const StridedLayout alone{0, shape_of(block), row_major_strides(shape_of(block))};
  for (const auto& [layout, memory] :
       {std::pair(alone, &dense.values()), std::pair(inside, &trial.inputs[0].values())}) {
    const auto view = op.view(cell, layout);
    if (!view) continue;
    if (view->shape != shape_of(cell.outputs[0])) return "the view has another shape";
    const Array64 found = read_through(*view, *memory, cell.outputs[0]);
    if (!std::ranges::equal(found.values(), expected.values(),
                            [](double a, double b) { return agree(a, b, 0); })) {
      return "the view holds other elements";
    }
  }
  return "";
}

std::string fault_of_cells(const Operator& op, const JoinAggSpec& spec, const Trial& trial) {
  for (int64_t number = 0; number < spec.cells(); ++number) {
    const FunctionSpec cell = spec.cell(number);
    const double flops = op.flops(cell);
    if (!std::isfinite(flops) || flops < 0) return "flops of " + float_text(flops);
    if (spec.signature().layout && flops != 0) return "moving elements takes flops";
    std::string fault = fault_of_view(op, cell, trial);
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::vector<Trial> make_trials(const Operator& op, std::span<const Domain> domains, bool special,
                               Random& random) {
  std::vector<Trial> trials;
  for (Values values : {Values::integers, special ? Values::special : Values::reals}) {
    Trial& trial = trials.emplace_back();
    trial.integers = values == Values::integers;
    trial.inputs = random_arrays(op, domains, values, random);
    trial.expected = whole_reference(op, trial.inputs);
    trial.magnitude = magnitudes(op, trial.inputs);
  }
  return trials;
}

std::string fault_of(const Operator& op, const JoinAggSpec& spec, std::span<const Trial> trials) {
  try {
    std::string fault = fault_of_spec(op, spec);
    if (fault.empty()) fault = fault_of_cells(op, spec, trials[0]);
    for (const Trial& trial : trials) {
      if (fault.empty()) fault = difference(op, spec, trial);
    }
    return fault;
  } catch (const std::exception& error) {
    return std::string("it throws: ") + error.what();
  }
}

}  // namespace einsummable
