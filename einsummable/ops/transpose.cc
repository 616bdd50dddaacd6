// SPDX-License-Identifier: Apache-2.0
// Axes in another order: y[.., x's axis axes[i] at place i, ..] = x[..].

#include <numeric>

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Transpose final : public Operator {
 public:
  explicit Transpose(const OperatorCall& call)
      : Operator("transpose", call, {infer(call)}), axes_(order(call)) {}

  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    OperandMap x{.axes = std::vector<AxisMap>(axes_.size())};
    for (size_t i = 0; i < axes_.size(); ++i) {
      x.axes[static_cast<size_t>(axes_[i])] = signature.outputs[0].axes[i];
    }
    signature.inputs = {std::move(x)};
    signature.layout = true;
    return {signature};
  }

  std::optional<StridedLayout> view(const FunctionSpec& cell,
                                    const StridedLayout& input) const override {
    StridedLayout y{input.offset, shape_of(cell.outputs[0]), {}};
    for (int64_t axis : axes_) y.strides.push_back(input.strides[static_cast<size_t>(axis)]);
    return y;
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::vector<int64_t> from(axes_.size());
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      for (size_t i = 0; i < axes_.size(); ++i) from[static_cast<size_t>(axes_[i])] = at[i];
      out[0].at(at) = in[0].at(from);
    });
  }

 private:
  // axes[i]: the axis of x that becomes axis i.
  static std::vector<int64_t> order(const OperatorCall& call) {
    const int64_t rank = call.inputs[0].rank();
    std::vector<int64_t> axes(static_cast<size_t>(rank));
    std::iota(axes.rbegin(), axes.rend(), 0);
    if (!call.attributes.has("axes")) return axes;
    axes = call.attributes.integers("axes");
    const std::string legal = "axes must list each of the " + std::to_string(rank) + " axes of " +
                              call.name(0) + " once; they are " + text(axes);
    require(static_cast<int64_t>(axes.size()) == rank, legal);
    for (int64_t& axis : axes) axis = normalise_axis(axis, rank);
    std::vector<int64_t> sorted = axes;
    std::ranges::sort(sorted);
    require(std::ranges::adjacent_find(sorted) == sorted.end(), legal);
    return axes;
  }

  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    Shape y;
    for (int64_t axis : order(call)) y.push_back(x.extent(axis));
    return tensor_type(x.dtype, y);
  }

  std::vector<int64_t> axes_;
};

Sample sample(Random& random) {
  const int64_t rank = random_below(random, 5);
  const TensorType x = tensor_type(DType::f32, random_shape(random, rank));
  if (random() % 4 == 0) return {{{x}, {}}};
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::ranges::shuffle(axes, random);
  for (int64_t& axis : axes) axis -= random() % 2 ? rank : 0;
  return {{{x}, {{"axes", axes}}}};
}

}  // namespace

OperatorInfo transpose_operator() {
  return {
      .name = "transpose",
      .doc =
          "The axes in another order: axis i of the result is axis axes[i] of x; without axes, "
          "the order is reversed.",
      .inputs = {{"x"}},
      .attributes = {{"axes", AttributeKind::integers}},
      .make = [](const OperatorCall& call) { return std::make_unique<Transpose>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
