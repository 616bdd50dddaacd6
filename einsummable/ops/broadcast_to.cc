// SPDX-License-Identifier: Apache-2.0
// Repetition along axes of extent 1 and new leading axes: y[.., i, ..] = x[.., i or 0, ..].

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class BroadcastTo final : public Operator {
 public:
  explicit BroadcastTo(const OperatorCall& call) : Operator("broadcast_to", call, {infer(call)}) {}

  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    signature.inputs = {broadcast(inputs()[0].shape(), outputs()[0].shape())};
    signature.layout = true;
    return {signature};
  }

  std::optional<StridedLayout> view(const FunctionSpec& cell,
                                    const StridedLayout& input) const override {
    const Box &x = cell.inputs[0], &y = cell.outputs[0];
    StridedLayout out{input.offset, shape_of(y), std::vector<int64_t>(y.size(), 0)};
    for (size_t i = 0; i < x.size(); ++i) {
      if (inputs()[0].bounds[i].hi != 1) out.strides[i + y.size() - x.size()] = input.strides[i];
    }
    return out;
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::vector<int64_t> from;
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      broadcast_position(cell.inputs[0], at, from);
      out[0].at(at) = in[0].at(from);
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const Shape x = call.inputs[0].shape(), &shape = call.attributes.integers("shape");
    require(shape.size() >= x.size(), "the shape " + text(shape) + " must have at least as many " +
                                          "axes as " + call.name(0) + " (" +
                                          std::to_string(x.size()) + ")");
    const size_t missing = shape.size() - x.size();
    for (size_t i = 0; i < x.size(); ++i) {
      require(x[i] == 1 || x[i] == shape[i + missing],
              "axis " + std::to_string(i) + " of " + call.name(0) + " has extent " +
                  std::to_string(x[i]) + " and cannot become " +
                  std::to_string(shape[i + missing]) + "; only extent 1 is repeated");
    }
    return tensor_type(call.inputs[0].dtype, shape);
  }
};

Sample sample(Random& random) {
  const Shape shape = random_shape(random, random_below(random, 5));
  Shape x(shape.begin() + random_below(random, static_cast<int64_t>(shape.size()) + 1),
          shape.end());
  for (int64_t& extent : x) extent = random() % 3 == 0 ? 1 : extent;
  return {{{tensor_type(DType::f32, x)}, {{"shape", shape}}}};
}

}  // namespace

OperatorInfo broadcast_to_operator() {
  return {
      .name = "broadcast_to",
      .doc =
          "x repeated to a shape: axes are aligned at the last one, and those of extent 1 or "
          "missing are repeated.",
      .inputs = {{"x"}},
      .attributes = {{"shape", AttributeKind::integers, None{}, true}},
      .make = [](const OperatorCall& call) { return std::make_unique<BroadcastTo>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
