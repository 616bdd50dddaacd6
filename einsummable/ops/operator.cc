// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/operator.h"

#include <array>
#include <cmath>
#include <numeric>

#include "einsummable/base/error.h"

namespace einsummable {

namespace {

template <class To, class From>
std::vector<Array<To>> converted(std::span<const Array<From>> arrays) {
  std::vector<Array<To>> out;
  for (const Array<From>& from : arrays) {
    Array<To>& to = out.emplace_back(from.bounds());
    std::ranges::transform(from.values(), to.values().begin(),
                           [](From value) { return static_cast<To>(value); });
  }
  return out;
}

}  // namespace

KernelShape product_shape(const FunctionSpec& cell, double flops) {
  const auto x = static_cast<double>(elements(cell.inputs[0]));
  const auto w = static_cast<double>(elements(cell.inputs[1]));
  const auto y = static_cast<double>(elements(cell.outputs[0]));
  if (x <= 0 || w <= 0 || y <= 0 || flops <= 0) return {"matmul", {0, 0, 0}};
  const double batch = std::pow(std::sqrt(x) * std::sqrt(w) * std::sqrt(y) / (flops / 2), 2);
  const auto extent = [&](double square) {
    return static_cast<int64_t>(std::llround(std::sqrt(square / batch)));
  };
  return {"matmul", {extent(x * (y / w)), extent(x * (w / y)), extent(w * (y / x))}};
}

void Operator::integer_reference(const FunctionSpec& cell, std::span<const IntegerArray> in,
                                 std::span<IntegerArray> out) const {
  std::vector<Array64> results = converted<double>(std::span<const IntegerArray>(out));
  reference(cell, converted<double>(in), results);
  std::ranges::move(converted<int64_t>(std::span<const Array64>(results)), out.begin());
}

void require(bool condition, const std::string& message) {
  if (!condition) throw GraphError(message);
}

void require_representable(DType dtype, double value) {
  if (is_float(dtype)) return;
  std::array<std::byte, 8> element;
  store_element(dtype, element.data(), value);
  require(load_element(dtype, element.data()) == value,
          "the value " + float_text(value) + " must be " +
              (dtype == DType::boolean ? "0 or 1" : "an integer in the range") + " of " +
              std::string(long_name(dtype)));
}

int64_t random_below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

int64_t random_extent(Random& random) {
  static constexpr std::array<int64_t, 15> extents = {1, 2,  3,  4, 5, 6, 7, 8,
                                                      9, 11, 12, 3, 5, 7, 1};
  if (random_below(random, 30) == 0) return 0;
  return extents[static_cast<size_t>(random_below(random, extents.size()))];
}

Shape random_shape(Random& random, int64_t rank) {
  Shape shape(static_cast<size_t>(rank));
  for (int64_t& extent : shape) extent = random_extent(random);
  return shape;
}

int64_t normalise_axis(int64_t axis, int64_t rank) {
  require(-rank <= axis && axis < rank, "axis " + std::to_string(axis) + " must be at least " +
                                            std::to_string(-rank) + " and less than " +
                                            std::to_string(rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> normalise_axes(const Attributes& attributes, std::string_view name,
                                    int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (!attributes.has(name)) return axes;
  axes = attributes.integers(name);
  for (int64_t& axis : axes) axis = normalise_axis(axis, rank);
  std::ranges::sort(axes);
  require(std::ranges::adjacent_find(axes) == axes.end(), "an axis is given twice");
  return axes;
}

}  // namespace einsummable
