// SPDX-License-Identifier: Apache-2.0
// Layer norm: y[.., d] = (x[.., d] - m) / sqrt(mean over d of (x - m)^2 + eps) * weight[d] +
// bias[d], m the mean of x over d.

#include <cmath>
#include <numeric>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

class LayerNorm final : public Operator {
 public:
  explicit LayerNorm(const OperatorCall& call) : Operator("layer_norm", call, {infer(call)}) {}

  // Rows may be cut anywhere. A row is normalised whole, so d is never cut.
  std::vector<Signature> signatures() const override {
    const Shape x = inputs()[0].shape(), d = inputs()[1].shape();
    const Shape in[] = {x, d, d}, out[] = {x};
    return {parse_notation("... d*, d*, d* -> ... d*", in, out)};
  }

  double flops(const FunctionSpec& cell) const override {
    return 7.0 * static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const double eps = attributes().real("eps");
    const std::vector<double>&weight = in[1].values(), &bias = in[2].values();
    map_lines(in[0], out[0], in[0].bounds().size() - 1, [&](auto, std::vector<double>& x) {
      const auto n = static_cast<double>(x.size());
      const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
      double squares = 0;
      for (double value : x) squares += (value - mean) * (value - mean);
      const double scale = 1 / std::sqrt(squares / n + eps);
      for (size_t d = 0; d < x.size(); ++d) x[d] = (x[d] - mean) * scale * weight[d] + bias[d];
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    require(x.rank() >= 1, call.name(0) + " needs at least one axis");
    for (size_t i : {1, 2}) {
      require(call.inputs[i].shape() == Shape{x.extent(-1)},
              call.name(i) + " must be [" + std::to_string(x.extent(-1)) +
                  "], the last extent of " + call.name(0));
    }
    const double eps = call.attributes.real("eps");
    require(std::isfinite(eps) && eps >= 0, "eps must be finite and not negative");
    return x;
  }
};

Sample sample(Random& random) {
  const Shape x = random_shape(random, 1 + random_below(random, 3)), d = {x.back()};
  return {{{tensor_type(DType::f32, x), tensor_type(DType::f32, d), tensor_type(DType::f32, d)},
           {{"eps", random() % 2 ? 1e-5 : 1e-12}}}};
}

}  // namespace

OperatorInfo layer_norm_operator() {
  return {
      .name = "layer_norm",
      .doc = "Layer norm of the last axis: (x - mean) / sqrt(variance + eps) * weight + bias.",
      .inputs = {{"x", Promotion::floating},
                 {"weight", Promotion::floating},
                 {"bias", Promotion::floating}},
      .attributes = {{"eps", AttributeKind::real, None{}, true}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<LayerNorm>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
