// SPDX-License-Identifier: Apache-2.0
// Positions along an axis: y[.., i, ..] = i.

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Iota final : public Operator {
 public:
  explicit Iota(const OperatorCall& call)
      : Operator("iota", call, {infer(call)}), axis_(axis_of(call)) {}

  std::vector<Signature> signatures() const override { return {over_output(outputs()[0].shape())}; }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64>,
                 std::span<Array64> out) const override {
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      out[0].at(at) = static_cast<double>(at[axis_]);
    });
  }

 private:
  static size_t axis_of(const OperatorCall& call) {
    const auto rank = static_cast<int64_t>(call.attributes.integers("shape").size());
    require(rank > 0, "the shape must have at least one axis");
    return static_cast<size_t>(normalise_axis(call.attributes.integer("axis"), rank));
  }

  static TensorType infer(const OperatorCall& call) {
    const DType dtype = call.attributes.dtype("dtype");
    require(dtype != DType::boolean, "positions are numbers; the dtype must not be bool");
    axis_of(call);
    return tensor_type(dtype, call.attributes.integers("shape"));
  }

  size_t axis_;
};

Sample sample(Random& random) {
  const int64_t rank = 1 + random_below(random, 3);
  const DType dtype = kAllDTypes[random() % (std::size(kAllDTypes) - 1)];
  return {{{},
           {{"shape", random_shape(random, rank)},
            {"axis", random_below(random, 2 * rank) - rank},
            {"dtype", dtype}}}};
}

}  // namespace

OperatorInfo iota_operator() {
  return {
      .name = "iota",
      .doc = "0, 1, 2, ... along an axis, the same along the others.",
      .inputs = {},
      .attributes = {{"shape", AttributeKind::integers, None{}, true},
                     {"axis", AttributeKind::integer, int64_t{-1}},
                     {"dtype", AttributeKind::dtype, DType::i64}},
      .make = [](const OperatorCall& call) { return std::make_unique<Iota>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
