// SPDX-License-Identifier: Apache-2.0
// Cumulative sum: y[.., i, ..] = sum of x[.., j, ..] over j <= i along `axis`.

#include <numeric>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

class Cumsum final : public Operator {
 public:
  explicit Cumsum(const OperatorCall& call)
      : Operator("cumsum", call, {infer(call)}),
        axis_(normalise_axis(call.attributes.integer("axis"), call.inputs[0].rank())) {}

  // Every axis may be cut anywhere but the one that is summed along: each of its elements needs all
  // that come before.
  std::vector<Signature> signatures() const override {
    const Shape shapes[] = {inputs()[0].shape()};
    Signature signature = parse_notation("... -> ...", shapes, shapes);
    signature.indices[static_cast<size_t>(axis_)].cut = Index::Cut::never;
    return {signature};
  }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec&, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    compute(in, out);
  }
  void integer_reference(const FunctionSpec&, std::span<const IntegerArray> in,
                         std::span<IntegerArray> out) const override {
    compute(in, out);
  }

 private:
  template <class T>
  void compute(std::span<const Array<T>> in, std::span<Array<T>> out) const {
    map_lines(in[0], out[0], static_cast<size_t>(axis_), [](auto, std::vector<T>& x) {
      std::partial_sum(x.begin(), x.end(), x.begin(),
                       [](T sum, T value) { return merge_values(Merge::sum, sum, value); });
    });
  }

  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    require(x.rank() >= 1, call.name(0) + " needs at least one axis");
    normalise_axis(call.attributes.integer("axis"), x.rank());
    return tensor_type(is_float(x.dtype) ? x.dtype : DType::i64, x.shape());
  }

  int64_t axis_;
};

Sample sample(Random& random) {
  const Shape x = random_shape(random, 1 + random_below(random, 4));
  const auto rank = std::ssize(x);
  return {{{tensor_type(DType::f32, x)}, {{"axis", random_below(random, 2 * rank) - rank}}}};
}

}  // namespace

OperatorInfo cumsum_operator() {
  return {
      .name = "cumsum",
      .doc =
          "Cumulative sum along an axis, y[i] = x[0] + ... + x[i]. Sums of int32 and bool are "
          "int64.",
      .inputs = {{"x"}},
      .attributes = {{"axis", AttributeKind::integer, None{}, true}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Cumsum>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
