// SPDX-License-Identifier: Apache-2.0
// softmax: y = exp(x) / sum over `axis` of exp(x);  log_softmax: y = x - log(sum over `axis` of
// exp(x)). A line that holds NaN or +inf, or nothing but -inf, gives NaN.

#include <cmath>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

enum class Scale : uint8_t { probability, logarithm };

class Softmax final : public Operator {
 public:
  Softmax(std::string name, Scale scale, const OperatorCall& call)
      : Operator(std::move(name), call, {infer(call)}),
        scale_(scale),
        axis_(normalise_axis(call.attributes.integer("axis"), call.inputs[0].rank())) {}

  // Every axis may be cut anywhere but the one that is normalised.
  std::vector<Signature> signatures() const override {
    const Shape shapes[] = {inputs()[0].shape()};
    Signature signature = parse_notation("... -> ...", shapes, shapes);
    signature.indices[static_cast<size_t>(axis_)].cut = Index::Cut::never;
    return {signature};
  }

  double flops(const FunctionSpec& cell) const override {
    return 5.0 * static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    map_lines(in[0], out[0], static_cast<size_t>(axis_), [&](auto, std::vector<double>& x) {
      const double most = *std::ranges::max_element(x);
      double total = 0;
      for (double value : x) total += std::exp(value - most);
      for (double& value : x) {
        value = scale_ == Scale::probability ? std::exp(value - most) / total
                                             : value - most - std::log(total);
      }
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    require(x.rank() >= 1, call.name(0) + " needs at least one axis");
    normalise_axis(call.attributes.integer("axis"), x.rank());
    return x;
  }

  Scale scale_;
  int64_t axis_;
};

Sample sample(Random& random) {
  const Shape x = random_shape(random, 1 + random_below(random, 4));
  const auto rank = std::ssize(x);
  return {{{tensor_type(DType::f32, x)}, {{"axis", random_below(random, 2 * rank) - rank}}}};
}

OperatorInfo entry(std::string_view name, std::string_view doc,
                   std::unique_ptr<const Operator> (*make)(const OperatorCall&)) {
  return {
      .name = name,
      .doc = doc,
      .inputs = {{"x", Promotion::floating}},
      .attributes = {{"axis", AttributeKind::integer, int64_t{-1}}},
      .make = make,
      .sample = sample,
  };
}

}  // namespace

OperatorInfo softmax_operator() {
  return entry("softmax", "exp(x) / sum(exp(x)) along an axis, without overflow.",
               [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
                 return std::make_unique<Softmax>("softmax", Scale::probability, call);
               });
}

OperatorInfo log_softmax_operator() {
  return entry("log_softmax", "x - log(sum(exp(x))) along an axis, without overflow.",
               [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
                 return std::make_unique<Softmax>("log_softmax", Scale::logarithm, call);
               });
}

}  // namespace einsummable
