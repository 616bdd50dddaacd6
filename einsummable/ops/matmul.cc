// SPDX-License-Identifier: Apache-2.0
// Matrix product over the last two axes: y[.., i, k] = sum over j of x[.., i, j] * w[.., j, k].

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

class Matmul final : public Operator {
 public:
  explicit Matmul(const OperatorCall& call) : Operator("matmul", call, {infer(call)}) {}

  // All three indices may be cut anywhere; a cut of j leaves partial sums (Example 3.9).
  std::vector<Signature> signatures() const override {
    const Shape x = inputs()[0].shape(), w = inputs()[1].shape(), y = outputs()[0].shape();
    const bool tx = attributes().boolean("transpose_x"), tw = attributes().boolean("transpose_w");
    const std::string left = tx ? "... j i" : "... i j";
    const std::string right = std::string(w.size() > 2 ? "... " : "") + (tw ? "k j" : "j k");
    const Shape in[] = {x, w}, out[] = {y};
    return {parse_notation(left + ", " + right + " -> ... i k", in, out)};
  }

  double flops(const FunctionSpec& cell) const override {
    const Box& x = cell.inputs[0];
    const size_t j = attributes().boolean("transpose_x") ? x.size() - 2 : x.size() - 1;
    return 2.0 * static_cast<double>(elements(cell.outputs[0])) *
           static_cast<double>(x[j].length());
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const bool tx = attributes().boolean("transpose_x"), tw = attributes().boolean("transpose_w");
    const size_t rank = cell.inputs[0].size(), right = cell.inputs[1].size();
    const Interval j = cell.inputs[0][tx ? rank - 2 : rank - 1];
    std::vector<int64_t> x(rank), w(right);
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      const int64_t i = at[rank - 2], k = at[rank - 1];
      std::ranges::copy(at, x.begin());
      if (right > 2) std::ranges::copy(at, w.begin());
      double sum = 0;
      for (int64_t c = j.lo; c < j.hi; ++c) {
        x[rank - 2] = tx ? c : i;
        x[rank - 1] = tx ? i : c;
        w[right - 2] = tw ? k : c;
        w[right - 1] = tw ? c : k;
        sum += in[0].at(x) * in[1].at(w);
      }
      out[0].at(at) = sum;
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType &x = call.inputs[0], &w = call.inputs[1];
    require(x.rank() >= 2 && w.rank() >= 2, "both need at least two axes");
    require(w.rank() == 2 || w.rank() == x.rank(),
            call.name(1) + " must have two axes, or as many as " + call.name(0));
    for (int64_t axis = 0; w.rank() > 2 && axis < x.rank() - 2; ++axis) {
      require(x.extent(axis) == w.extent(axis), "the batch axes must agree");
    }
    const bool tx = call.attributes.boolean("transpose_x");
    const bool tw = call.attributes.boolean("transpose_w");
    const int64_t j = x.extent(tx ? -2 : -1), other = w.extent(tw ? -1 : -2);
    require(j == other, std::string("the ") + (tx ? "next to last" : "last") + " extent of " +
                            call.name(0) + " (" + std::to_string(j) + ") must equal the " +
                            (tw              ? "last"
                             : w.rank() == 2 ? "first"
                                             : "next to last") +
                            " of " + call.name(1) + " (" + std::to_string(other) + ")");
    Shape y = x.shape();
    y[y.size() - 2] = x.extent(tx ? -1 : -2);
    y[y.size() - 1] = w.extent(tw ? -2 : -1);
    return tensor_type(x.dtype, y);
  }
};

Sample sample(Random& random) {
  const bool tx = random() % 2, tw = random() % 2;
  const Shape batch = random_shape(random, random_below(random, 3));
  const int64_t i = random_extent(random), j = random_extent(random), k = random_extent(random);
  Shape x = batch, w = random() % 2 ? batch : Shape{};
  for (int64_t extent : {tx ? j : i, tx ? i : j}) x.push_back(extent);
  for (int64_t extent : {tw ? k : j, tw ? j : k}) w.push_back(extent);
  return {{{tensor_type(DType::f32, x), tensor_type(DType::f32, w)},
           {{"transpose_x", tx}, {"transpose_w", tw}}}};
}

}  // namespace

OperatorInfo matmul_operator() {
  return {
      .name = "matmul",
      .doc =
          "Matrix product over the last two axes, batched over the others; either side may be "
          "transposed.",
      .inputs = {{"x"}, {"w"}},
      .attributes = {{"transpose_x", AttributeKind::boolean, false},
                     {"transpose_w", AttributeKind::boolean, false}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Matmul>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
