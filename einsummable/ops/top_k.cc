// SPDX-License-Identifier: Apache-2.0
// The k largest along an axis, falling: values[.., r, ..] = x[.., indices[.., r, ..], ..].

#include <cmath>
#include <numeric>

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

// Whether element `i` of `row` comes before element `j`: NaN is the largest, and of equals the one
// with the lower index comes first.
template <class T>
bool comes_before(const std::vector<T>& row, size_t i, size_t j) {
  const bool i_nan = row[i] != row[i], j_nan = row[j] != row[j];
  if (i_nan != j_nan) return i_nan;
  if (!i_nan && row[i] != row[j]) return row[i] > row[j];
  return i < j;
}

class TopK final : public Operator {
 public:
  explicit TopK(const OperatorCall& call)
      : Operator("top_k", call, infer(call)), axis_(axis_of(call)) {}

  // A row is ranked whole, so its axis has no index.
  std::vector<Signature> signatures() const override {
    Signature signature;
    OperandMap x, y;
    for (size_t i = 0; i < inputs()[0].bounds.size(); ++i) {
      const int64_t extent = inputs()[0].bounds[i].hi;
      if (i == axis_) {
        x.axes.push_back({.extent = extent});
        y.axes.push_back({.extent = attributes().integer("k")});
        continue;
      }
      x.axes.push_back(follow(signature.indices.size(), extent));
      y.axes.push_back(x.axes.back());
      signature.indices.push_back({.name = "i" + std::to_string(i), .extent = extent});
    }
    signature.inputs = {std::move(x)};
    signature.outputs = {y, y};
    return {signature};
  }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.inputs[0])) *
           std::log2(static_cast<double>(attributes().integer("k")) + 1);
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    compute(cell, in, out);
  }
  void integer_reference(const FunctionSpec& cell, std::span<const IntegerArray> in,
                         std::span<IntegerArray> out) const override {
    compute(cell, in, out);
  }

 private:
  template <class T>
  void compute(const FunctionSpec& cell, std::span<const Array<T>> in,
               std::span<Array<T>> out) const {
    const auto extent = static_cast<size_t>(cell.inputs[0][axis_].length());
    Box rows = cell.outputs[0];
    rows[axis_] = {0, std::min<int64_t>(1, rows[axis_].hi)};
    std::vector<T> row(extent);
    std::vector<size_t> order(extent);
    for_each_position(rows, [&](std::span<const int64_t> at) {
      std::vector<int64_t> position(at.begin(), at.end());
      for (size_t i = 0; i < extent; ++i) {
        position[axis_] = static_cast<int64_t>(i);
        row[i] = in[0].at(position);
      }
      std::iota(order.begin(), order.end(), size_t{0});
      std::ranges::sort(order, [&](size_t i, size_t j) { return comes_before(row, i, j); });
      for (size_t r = 0; r < static_cast<size_t>(cell.outputs[0][axis_].hi); ++r) {
        position[axis_] = static_cast<int64_t>(r);
        out[0].at(position) = row[order[r]];
        out[1].at(position) = static_cast<T>(order[r]);
      }
    });
  }

  static size_t axis_of(const OperatorCall& call) {
    const int64_t rank = call.inputs[0].rank();
    require(rank > 0, call.name(0) + " must have an axis");
    return static_cast<size_t>(normalise_axis(call.attributes.integer("axis"), rank));
  }

  static std::vector<TensorType> infer(const OperatorCall& call) {
    const size_t axis = axis_of(call);
    const int64_t k = call.attributes.integer("k"), extent = call.inputs[0].bounds[axis].hi;
    require(0 <= k && k <= extent, "k must be at least 0 and at most " + std::to_string(extent) +
                                       ", the extent of axis " + std::to_string(axis) + " of " +
                                       call.name(0) + "; it is " + std::to_string(k));
    Shape y = call.inputs[0].shape();
    y[axis] = k;
    return {tensor_type(call.inputs[0].dtype, y), tensor_type(DType::i64, y)};
  }

  size_t axis_;
};

Sample sample(Random& random) {
  const int64_t rank = 1 + random_below(random, 3), axis = random_below(random, rank);
  const Shape x = random_shape(random, rank);
  const int64_t k = random_below(random, x[static_cast<size_t>(axis)] + 1);
  return {{{tensor_type(DType::f32, x)}, {{"k", k}, {"axis", random() % 2 ? axis : axis - rank}}}};
}

}  // namespace

OperatorInfo top_k_operator() {
  return {
      .name = "top_k",
      .doc =
          "The k largest values along an axis, falling, and their indices; NaN is the largest, "
          "and of equals the lower index comes first.",
      .inputs = {{"x"}},
      .attributes = {{"k", AttributeKind::integer, None{}, true},
                     {"axis", AttributeKind::integer, int64_t{-1}}},
      .outputs = {"values", "indices"},
      .make = [](const OperatorCall& call) { return std::make_unique<TopK>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
