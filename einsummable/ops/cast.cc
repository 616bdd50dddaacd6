// SPDX-License-Identifier: Apache-2.0
// Another dtype: y = x, rounded to nearest even; to ints truncated and saturating, NaN 0.

#include <array>
#include <cmath>

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Cast final : public Operator {
 public:
  explicit Cast(const OperatorCall& call)
      : Operator("cast", call,
                 {tensor_type(call.attributes.dtype("dtype"), call.inputs[0].shape())}) {}

  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    signature.inputs = signature.outputs;
    return {signature};
  }

  bool elementwise() const override { return true; }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const DType dtype = outputs()[0].dtype;
    std::array<std::byte, 8> element;
    std::ranges::transform(in[0].values(), out[0].values().begin(), [&](double x) {
      store_element(dtype, element.data(), x);
      return load_element(dtype, element.data());
    });
  }
};

Sample sample(Random& random) {
  const Shape shape = random_shape(random, random_below(random, 4));
  const DType dtype = kAllDTypes[random() % std::size(kAllDTypes)];
  return {{{tensor_type(DType::f32, shape)}, {{"dtype", dtype}}}};
}

}  // namespace

OperatorInfo cast_operator() {
  return {
      .name = "cast",
      .doc =
          "x in another dtype, rounded to nearest even; a float becomes an int by truncation, "
          "within its range, and NaN becomes 0.",
      .inputs = {{"x"}},
      .attributes = {{"dtype", AttributeKind::dtype, None{}, true}},
      .make = [](const OperatorCall& call) { return std::make_unique<Cast>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
