// SPDX-License-Identifier: Apache-2.0
// Tensors one after the other along an axis: y[.., offset of t + i, ..] = t[.., i, ..].

#include "einsummable/base/checked.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Concat final : public Operator {
 public:
  explicit Concat(const OperatorCall& call)
      : Operator("concat", call, {infer(call)}), axis_(axis_of(call)) {}

  // Every index may be cut anywhere; a cell reads nothing of a tensor that lies outside its block.
  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    int64_t offset = 0;
    for (const TensorType& type : inputs()) {
      OperandMap operand = signature.outputs[0];
      operand.axes[axis_] = follow(axis_, type.bounds[axis_].hi, 1, -offset);
      signature.inputs.push_back(std::move(operand));
      offset += type.bounds[axis_].hi;
    }
    signature.layout = true;
    return {signature};
  }

  std::optional<StridedLayout> view(const FunctionSpec&,
                                    const StridedLayout& input) const override {
    return inputs().size() == 1 ? std::optional(input) : std::nullopt;
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    int64_t offset = 0;
    for (size_t input = 0; input < in.size(); ++input) {
      for_each_position(cell.inputs[input], [&](std::span<const int64_t> at) {
        std::vector<int64_t> to(at.begin(), at.end());
        to[axis_] += offset;
        out[0].at(to) = in[input].at(at);
      });
      offset += inputs()[input].bounds[axis_].hi;
    }
  }

 private:
  static size_t axis_of(const OperatorCall& call) {
    const int64_t rank = call.inputs[0].rank();
    require(rank > 0, "tensors of rank 0 have no axis to be joined along");
    return static_cast<size_t>(normalise_axis(call.attributes.integer("axis"), rank));
  }

  static TensorType infer(const OperatorCall& call) {
    const size_t axis = axis_of(call);
    Shape y = call.inputs[0].shape();
    for (size_t input = 1; input < call.inputs.size(); ++input) {
      Shape other = call.inputs[input].shape();
      require(other.size() == y.size(), "all tensors must have the same number of axes; " +
                                            call.name(input) + " has " +
                                            std::to_string(other.size()) + " and " + call.name(0) +
                                            " " + std::to_string(y.size()));
      y[axis] = checked_add(y[axis], other[axis]);
      other[axis] = y[axis];
      require(other == y, "extents must agree on every axis but " + std::to_string(axis) +
                              "; those of " + call.name(input) + " differ from those of " +
                              call.name(0));
    }
    return tensor_type(call.inputs[0].dtype, y);
  }

  size_t axis_;
};

Sample sample(Random& random) {
  const int64_t rank = 1 + random_below(random, 3), axis = random_below(random, rank);
  Shape shape = random_shape(random, rank);
  std::vector<TensorType> inputs;
  for (int64_t count = 1 + random_below(random, 4); count > 0; --count) {
    shape[static_cast<size_t>(axis)] = random_extent(random);
    inputs.push_back(tensor_type(DType::f32, shape));
  }
  return {{inputs, {{"axis", random() % 2 ? axis : axis - rank}}}};
}

}  // namespace

OperatorInfo concat_operator() {
  return {
      .name = "concat",
      .doc = "Tensors one after the other along an axis; all other extents agree.",
      .inputs = {{"tensors", Promotion::common, InputInfo::Arity::variadic}},
      .attributes = {{"axis", AttributeKind::integer, int64_t{0}}},
      .make = [](const OperatorCall& call) { return std::make_unique<Concat>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
