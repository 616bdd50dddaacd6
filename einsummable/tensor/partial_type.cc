// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/partial_type.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double neutral(Merge merge, size_t component) {
  switch (merge) {
    case Merge::sum:
      return 0;
    case Merge::prod:
      return 1;
    case Merge::max:
      return -kInfinity;
    case Merge::min:
      return kInfinity;
    case Merge::log_sum_exp:
      return -kInfinity;
    case Merge::weighted_mean:
      return component == 0 ? 0 : -kInfinity;
    case Merge::first_max:
      return component == 0 ? 0x1p62 : -kInfinity;
  }
  throw InternalError("unknown merge");
}

void merge_first_max(std::vector<Array64>& into, const std::vector<Array64>& part) {
  for (size_t i = 0; i < into[0].values().size(); ++i) {
    double& index = into[0].values()[i];
    double& value = into[1].values()[i];
    if (comes_first(part[0].values()[i], part[1].values()[i], index, value)) {
      index = part[0].values()[i];
      value = part[1].values()[i];
    }
  }
}

void merge_weighted_mean(std::vector<Array64>& into, const std::vector<Array64>& part) {
  const size_t rows = into[1].values().size();
  const size_t width = rows == 0 ? 0 : into[0].values().size() / rows;
  for (size_t row = 0; row < rows; ++row) {
    const double a = into[1].values()[row], b = part[1].values()[row];
    const double total = log_add_exp(a, b);
    into[1].values()[row] = total;
    if (total == -kInfinity) continue;
    const double wa = std::exp(a - total), wb = std::exp(b - total);
    for (size_t i = row * width; i < (row + 1) * width; ++i) {
      double& value = into[0].values()[i];
      const double other = part[0].values()[i];
      value = (a == -kInfinity ? 0 : wa * value) + (b == -kInfinity ? 0 : wb * other);
    }
  }
}

// The neutral element as a value of the component: infinities saturate.
template <class T>
T neutral_value(const PartialType& partial, size_t component) {
  const DType dtype = partial.components[component].dtype;
  double value = neutral(partial.merge, component);
  if (dtype == DType::boolean) value = std::clamp(value, 0.0, 1.0);
  if constexpr (std::is_integral_v<T>) {
    std::array<std::byte, 8> element;
    store_element(dtype, element.data(), value);
    return load_integer(dtype, element.data());
  } else {
    return value;
  }
}

}  // namespace

std::string_view name(Merge merge) {
  static constexpr std::array<std::string_view, 7> names = {
      "sum", "prod", "max", "min", "log_sum_exp", "weighted_mean", "first_max"};
  return names[static_cast<size_t>(merge)];
}

bool comes_first(double index, double x, double other, double y) {
  const bool x_nan = std::isnan(x), y_nan = std::isnan(y);
  if (x_nan != y_nan) return x_nan;
  if (!x_nan && x != y) return x > y;
  return index < other;
}

double merge_values(Merge merge, double a, double b) {
  switch (merge) {
    case Merge::sum:
      return a + b;
    case Merge::prod:
      return a * b;
    case Merge::max:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
    case Merge::min:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
    case Merge::log_sum_exp:
      return log_add_exp(a, b);
    default:
      throw InternalError("a merge of several components");
  }
}

int64_t merge_values(Merge merge, int64_t a, int64_t b) {
  switch (merge) {
    case Merge::sum:
      return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case Merge::prod:
      return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Merge::max:
      return std::max(a, b);
    case Merge::min:
      return std::min(a, b);
    default:
      throw InternalError("a merge of integers by a function of floats");
  }
}

PartialType partial_of(const TensorType& output, Merge merge, double scale) {
  const bool exact = merge == Merge::max || merge == Merge::min;
  std::vector<int32_t> axes(output.bounds.size());
  std::iota(axes.begin(), axes.end(), 0);
  return {merge,
          {{"value", exact ? output.dtype : accumulation(output.dtype), std::move(axes)}},
          scale};
}

PartialType with_sums_in(PartialType partial, std::optional<DType> dtype) {
  const bool adds = partial.merge == Merge::sum || partial.merge == Merge::log_sum_exp ||
                    partial.merge == Merge::weighted_mean;
  if (!dtype || !adds || !is_float(partial.components[0].dtype)) return partial;
  partial.components[0].dtype = *dtype;
  for (size_t c = 1; c < partial.components.size(); ++c) {
    DType& lse = partial.components[c].dtype;
    lse = promote(lse, *dtype);
  }
  return partial;
}

Box component_box(const Component& component, const Box& output) {
  Box box;
  for (int32_t axis : component.axes) box.push_back(output[static_cast<size_t>(axis)]);
  return box;
}

int64_t partial_bytes(const PartialType& partial, const Box& output) {
  int64_t bytes = 0;
  for (const Component& component : partial.components) {
    const int64_t count = elements(component_box(component, output));
    bytes = checked_add(bytes, checked_multiply(count, size_of(component.dtype)));
  }
  return bytes;
}

template <class T>
std::vector<Array<T>> identity(const PartialType& partial, const Box& output) {
  std::vector<Array<T>> arrays;
  for (size_t c = 0; c < partial.components.size(); ++c) {
    arrays.emplace_back(component_box(partial.components[c], output), neutral_value<T>(partial, c));
  }
  return arrays;
}
template std::vector<Array64> identity(const PartialType&, const Box&);
template std::vector<IntegerArray> identity(const PartialType&, const Box&);

void merge(const PartialType& partial, std::vector<Array64>& into,
           const std::vector<Array64>& part) {
  if (partial.merge == Merge::weighted_mean) return merge_weighted_mean(into, part);
  if (partial.merge == Merge::first_max) return merge_first_max(into, part);
  for (size_t i = 0; i < into[0].values().size(); ++i) {
    double& value = into[0].values()[i];
    value = merge_values(partial.merge, value, part[0].values()[i]);
  }
}

Array64 finalise(const PartialType& partial, const std::vector<Array64>& complete) {
  Array64 out = complete[0];
  if (partial.scale != 1) {
    for (double& value : out.values()) value *= partial.scale;
  }
  return out;
}

IntegerArray finalise(const PartialType& partial, const std::vector<IntegerArray>& complete) {
  ensure(partial.scale == 1, "a scaled result of integers");
  return complete[0];
}

double log_add_exp(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  const double high = std::max(a, b);
  if (std::isinf(high)) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

}  // namespace einsummable
