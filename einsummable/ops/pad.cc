// SPDX-License-Identifier: Apache-2.0
// A constant around a tensor: y[.., before + i, ..] = x[.., i, ..], and value elsewhere.

#include "einsummable/base/checked.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Pad final : public Operator {
 public:
  explicit Pad(const OperatorCall& call)
      : Operator("pad", call, {infer(call)}), before_(call.attributes.integers("before")) {}

  // Every index may be cut anywhere; a cell of padding alone reads nothing.
  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    OperandMap x;
    for (size_t i = 0; i < before_.size(); ++i) {
      x.axes.push_back(follow(i, inputs()[0].bounds[i].hi, 1, -before_[i]));
    }
    signature.inputs = {std::move(x)};
    signature.layout = true;
    return {signature};
  }

  // Where a cell holds no padding.
  std::optional<StridedLayout> view(const FunctionSpec& cell,
                                    const StridedLayout& input) const override {
    const bool all = shape_of(cell.inputs[0]) == shape_of(cell.outputs[0]);
    return all ? std::optional(input) : std::nullopt;
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::ranges::fill(out[0].values(), attributes().real("value"));
    for_each_position(cell.inputs[0], [&](std::span<const int64_t> at) {
      std::vector<int64_t> to(at.begin(), at.end());
      for (size_t i = 0; i < to.size(); ++i) to[i] += before_[i];
      out[0].at(to) = in[0].at(at);
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    const auto &before = call.attributes.integers("before"),
               &after = call.attributes.integers("after");
    const auto rank = static_cast<size_t>(x.rank());
    require(before.size() == rank && after.size() == rank,
            "before and after must have one entry for each of the " + std::to_string(rank) +
                " axes of " + call.name(0));
    Shape y = x.shape();
    for (size_t i = 0; i < rank; ++i) {
      require(before[i] >= 0 && after[i] >= 0,
              "padding must be at least 0; axis " + std::to_string(i) + " has " +
                  std::to_string(before[i]) + " and " + std::to_string(after[i]));
      y[i] = checked_add(y[i], checked_add(before[i], after[i]));
    }
    require_representable(x.dtype, call.attributes.real("value"));
    return tensor_type(x.dtype, y);
  }

  std::vector<int64_t> before_;
};

Sample sample(Random& random) {
  const int64_t rank = random_below(random, 4);
  const Shape x = random_shape(random, rank);
  std::vector<int64_t> before, after;
  for (size_t i = 0; i < x.size(); ++i) {
    before.push_back(random_below(random, 4));
    after.push_back(random_below(random, 4));
  }
  const double value = random() % 2 ? 0 : 1;
  return {{{tensor_type(DType::f32, x)}, {{"before", before}, {"after", after}, {"value", value}}}};
}

}  // namespace

OperatorInfo pad_operator() {
  return {
      .name = "pad",
      .doc =
          "x with `before` and `after` elements of a constant value around it, one entry an "
          "axis.",
      .inputs = {{"x"}},
      .attributes = {{"before", AttributeKind::integers, None{}, true},
                     {"after", AttributeKind::integers, None{}, true},
                     {"value", AttributeKind::real, 0.0}},
      .make = [](const OperatorCall& call) { return std::make_unique<Pad>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
