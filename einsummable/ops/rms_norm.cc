// SPDX-License-Identifier: Apache-2.0
// Root-mean-square norm: y[.., d] = x[.., d] / sqrt(mean over d of x^2 + eps) * weight[d].

#include <cmath>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

class RmsNorm final : public Operator {
 public:
  explicit RmsNorm(const OperatorCall& call) : Operator("rms_norm", call, {infer(call)}) {}

  // Rows may be cut anywhere. A row is normalised whole, so d is never cut.
  std::vector<Signature> signatures() const override {
    const Shape x = inputs()[0].shape();
    const Shape in[] = {x, inputs()[1].shape()}, out[] = {x};
    return {parse_notation("... d*, d* -> ... d*", in, out)};
  }

  double flops(const FunctionSpec& cell) const override {
    return 4.0 * static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const double eps = attributes().real("eps");
    const std::vector<double>& weight = in[1].values();
    map_lines(in[0], out[0], in[0].bounds().size() - 1, [&](auto, std::vector<double>& x) {
      double squares = 0;
      for (double value : x) squares += value * value;
      const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
      for (size_t d = 0; d < x.size(); ++d) x[d] *= scale * weight[d];
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType &x = call.inputs[0], &weight = call.inputs[1];
    require(x.rank() >= 1, call.name(0) + " needs at least one axis");
    require(weight.shape() == Shape{x.extent(-1)}, call.name(1) + " must be [" +
                                                       std::to_string(x.extent(-1)) +
                                                       "], the last extent of " + call.name(0));
    const double eps = call.attributes.real("eps");
    require(std::isfinite(eps) && eps >= 0, "eps must be finite and not negative");
    return x;
  }
};

Sample sample(Random& random) {
  const Shape x = random_shape(random, 1 + random_below(random, 3));
  return {{{tensor_type(DType::f32, x), tensor_type(DType::f32, Shape{x.back()})},
           {{"eps", random() % 2 ? 1e-5 : 1e-6}}}};
}

}  // namespace

OperatorInfo rms_norm_operator() {
  return {
      .name = "rms_norm",
      .doc = "Root-mean-square norm of the last axis: x / sqrt(mean(x^2) + eps) * weight.",
      .inputs = {{"x", Promotion::floating}, {"weight", Promotion::floating}},
      .attributes = {{"eps", AttributeKind::real, None{}, true}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<RmsNorm>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
