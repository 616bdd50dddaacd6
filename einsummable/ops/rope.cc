// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: turns each pair (a, b) of x[.., s, :] by an angle,
//   y_a = x_a cos t - x_b sin t,   y_b = x_b cos t + x_a sin t,   t = positions[s] * theta^(-2 i /
//   d)
// for pair i of d/2: elements i and i + d/2, or 2 i and 2 i + 1 if interleaved.

#include <cmath>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

class Rope final : public Operator {
 public:
  explicit Rope(const OperatorCall& call) : Operator("rope", call, {infer(call)}) {}

  // Rows may be cut anywhere. A pair is turned together, so d is never cut.
  std::vector<Signature> signatures() const override {
    const Shape x = inputs()[0].shape();
    const Shape in[] = {x, inputs()[1].shape()}, out[] = {x};
    return {parse_notation("... s d*, s -> ... s d*", in, out)};
  }

  double flops(const FunctionSpec& cell) const override {
    return 3.0 * static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const double theta = attributes().real("theta");
    const bool interleaved = attributes().boolean("interleaved");
    const size_t rank = in[0].bounds().size();
    map_lines(in[0], out[0], rank - 1, [&](auto first, std::vector<double>& x) {
      const double position = in[1].at({first[rank - 2]});
      const auto d = static_cast<double>(x.size());
      for (size_t i = 0; i < x.size() / 2; ++i) {
        const double angle = position * std::pow(theta, -2 * static_cast<double>(i) / d);
        const double cosine = std::cos(angle), sine = std::sin(angle);
        double& a = x[interleaved ? 2 * i : i];
        double& b = x[interleaved ? 2 * i + 1 : i + x.size() / 2];
        const double turned = a * cosine - b * sine;
        b = b * cosine + a * sine;
        a = turned;
      }
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType &x = call.inputs[0], &positions = call.inputs[1];
    require(x.rank() >= 2, call.name(0) + " needs at least two axes: [..., s, d]");
    require(x.extent(-1) % 2 == 0, "the last extent of " + call.name(0) + " (" +
                                       std::to_string(x.extent(-1)) + ") must be even");
    require(positions.dtype == DType::i32 || positions.dtype == DType::i64,
            call.name(1) + " must be int32 or int64");
    require(positions.shape() == Shape{x.extent(-2)},
            call.name(1) + " must be [" + std::to_string(x.extent(-2)) +
                "], the next to last extent of " + call.name(0));
    const double theta = call.attributes.real("theta");
    require(std::isfinite(theta) && theta > 0, "theta must be finite and positive");
    return x;
  }
};

Sample sample(Random& random) {
  Shape x = random_shape(random, 2 + random_below(random, 3));
  x.back() *= 2;
  const TensorType positions =
      tensor_type(random() % 2 ? DType::i32 : DType::i64, Shape{x[x.size() - 2]});
  return {{{tensor_type(DType::f32, x), positions},
           {{"theta", random() % 2 ? 10000.0 : 100.0}, {"interleaved", random() % 2 == 0}}},
          {{}, {Domain::Kind::ids, 4096}}};
}

}  // namespace

OperatorInfo rope_operator() {
  return {
      .name = "rope",
      .doc =
          "Rotary position embedding of [..., s, d]: turns pair i of a row by its position "
          "times theta^(-2i/d); pairs are (i, i + d/2), or (2i, 2i + 1) if interleaved.",
      .inputs = {{"x", Promotion::floating}, {"positions", Promotion::none}},
      .attributes = {{"theta", AttributeKind::real, 10000.0},
                     {"interleaved", AttributeKind::boolean, false}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Rope>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
