// SPDX-License-Identifier: Apache-2.0
// Values known when the graph is built: y[position] = values[row-major number of the position].

#include "einsummable/base/checked.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

constexpr size_t kMaximalValues = 64;

class Constant final : public Operator {
 public:
  explicit Constant(const OperatorCall& call) : Operator("constant", call, {infer(call)}) {}

  std::vector<Signature> signatures() const override { return {over_output(outputs()[0].shape())}; }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64>,
                 std::span<Array64> out) const override {
    const auto& values = attributes().reals("values");
    const std::vector<int64_t> strides = row_major_strides(outputs()[0].shape());
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      int64_t place = 0;
      for (size_t i = 0; i < at.size(); ++i) place += at[i] * strides[i];
      out[0].at(at) = values[values.size() == 1 ? 0 : static_cast<size_t>(place)];
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType y =
        tensor_type(call.attributes.dtype("dtype"), call.attributes.integers("shape"));
    const auto& values = call.attributes.reals("values");
    const auto given = static_cast<int64_t>(values.size());
    require(given == 1 || given == y.elements(),
            "the shape has " + std::to_string(y.elements()) + " elements and " +
                std::to_string(given) + " values are given; it takes one for each, or one for all");
    require(values.size() <= kMaximalValues, "a constant has at most " +
                                                 std::to_string(kMaximalValues) +
                                                 " values; make it a parameter and load it");
    for (double value : values) require_representable(y.dtype, value);
    return y;
  }
};

Sample sample(Random& random) {
  Shape shape = random_shape(random, random_below(random, 3));
  if (elements(shape) > static_cast<int64_t>(kMaximalValues)) shape.resize(1);
  const DType dtype = kAllDTypes[random() % std::size(kAllDTypes)];
  std::vector<double> values(random() % 2 ? 1 : static_cast<size_t>(elements(shape)));
  for (double& value : values) value = static_cast<double>(random_below(random, 2));
  return {{{}, {{"shape", shape}, {"values", values}, {"dtype", dtype}}}};
}

}  // namespace

OperatorInfo constant_operator() {
  return {
      .name = "constant",
      .doc = "Up to 64 values in row-major order, or one value everywhere.",
      .inputs = {},
      .attributes = {{"shape", AttributeKind::integers, None{}, true},
                     {"values", AttributeKind::reals, None{}, true},
                     {"dtype", AttributeKind::dtype, DType::f32}},
      .make = [](const OperatorCall& call) { return std::make_unique<Constant>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
