// SPDX-License-Identifier: Apache-2.0
// Matrix product over the last two axes: y[.., i, k] = sum over j of x[.., i, j] * w[.., j, k].
// As in NumPy the axes before them broadcast, and an operand of one axis is a vector: x[j], w[j].

#include "einsummable/base/text.h"
#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

// The axes of an operand that are not batch axes: two, or one of a vector.
size_t matrix_axes(const TensorType& type) { return type.rank() == 1 ? 1 : 2; }

Shape batch_of(const TensorType& type) {
  Shape batch = type.shape();
  batch.resize(batch.size() - matrix_axes(type));
  return batch;
}

// Which axis of x or w is j, counted from the end.
int64_t contracted_axis(const OperatorCall& call, size_t operand) {
  if (call.inputs[operand].rank() == 1) return -1;
  const bool transposed = call.attributes.boolean(operand == 0 ? "transpose_x" : "transpose_w");
  return (operand == 0) == transposed ? -2 : -1;
}

class Matmul final : public Operator {
 public:
  explicit Matmul(const OperatorCall& call)
      : Operator("matmul", call, {infer(call)}),
        x_j_(inputs()[0].rank() + contracted_axis(call, 0)),
        w_j_(inputs()[1].rank() + contracted_axis(call, 1)) {}

  // All indices may be cut anywhere; a cut of j leaves partial sums (Example 3.9).
  std::vector<Signature> signatures() const override {
    std::string y = batch_text(output_batch());
    if (inputs()[0].rank() > 1) y += " i";
    if (inputs()[1].rank() > 1) y += " k";
    const Shape in[] = {inputs()[0].shape(), inputs()[1].shape()}, out[] = {outputs()[0].shape()};
    return {
        parse_notation(operand_text(0, "i") + ", " + operand_text(1, "k") + " -> " + y, in, out)};
  }

  // As in NumPy a product of bools is `and`, and a sum of them `or`.
  PartialType partial(size_t output) const override {
    const TensorType& y = outputs()[output];
    return partial_of(y, y.dtype == DType::boolean ? Merge::max : Merge::sum);
  }

  double flops(const FunctionSpec& cell) const override {
    return 2.0 * static_cast<double>(elements(cell.outputs[0])) *
           static_cast<double>(cell.inputs[0][static_cast<size_t>(x_j_)].length());
  }

  KernelShape kernel_shape(const FunctionSpec& cell) const override {
    return product_shape(cell, flops(cell));
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    out[0] = identity(partial(0), cell.outputs[0])[0];
    const Merge merge = partial(0).merge;
    const Interval j = cell.inputs[0][static_cast<size_t>(x_j_)];
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> y) {
      std::vector<int64_t> x = position(0, x_j_, y), w = position(1, w_j_, y);
      double& total = out[0].at(y);
      for (int64_t c = j.lo; c < j.hi; ++c) {
        x[static_cast<size_t>(x_j_)] = w[static_cast<size_t>(w_j_)] = c;
        total = merge_values(merge, total, in[0].at(x) * in[1].at(w));
      }
    });
  }

 private:
  static TensorType infer(const OperatorCall& call);
  static Shape broadcast_batch(const OperatorCall& call);

  Shape output_batch() const {
    Shape batch = outputs()[0].shape();
    batch.resize(batch.size() - (inputs()[0].rank() > 1) - (inputs()[1].rank() > 1));
    return batch;
  }

  // The batch axes of an operand in index notation: "1" where it is repeated.
  std::string batch_text(const Shape& own) const {
    const Shape batch = output_batch();
    std::vector<std::string> axes;
    for (size_t axis = 0; axis < own.size(); ++axis) {
      const size_t of_output = batch.size() - own.size() + axis;
      axes.push_back(own[axis] == batch[of_output] ? "batch" + std::to_string(of_output) : "1");
    }
    return join(axes, " ");
  }

  std::string operand_text(size_t operand, const std::string& free) const {
    const TensorType& type = inputs()[operand];
    if (type.rank() == 1) return "j";
    const int64_t j = operand == 0 ? x_j_ : w_j_;
    return batch_text(batch_of(type)) + (j == type.rank() - 1 ? " " + free + " j" : " j " + free);
  }

  // Where the element of an operand lies that y[at] needs, but for j, whose place is filled later.
  std::vector<int64_t> position(size_t operand, int64_t j, std::span<const int64_t> at) const {
    const TensorType& type = inputs()[operand];
    if (type.rank() == 1) return {0};
    const Shape own = batch_of(type), batch = output_batch();
    std::vector<int64_t> place;
    for (size_t axis = 0; axis < own.size(); ++axis) {
      place.push_back(own[axis] == 1 ? 0 : at[batch.size() - own.size() + axis]);
    }
    place.resize(own.size() + 2, operand == 0 ? at[batch.size()] : at.back());
    place[static_cast<size_t>(j)] = 0;
    return place;
  }

  int64_t x_j_, w_j_;  // which axes of x and w are j
};

Shape Matmul::broadcast_batch(const OperatorCall& call) {
  const Shape x = batch_of(call.inputs[0]), w = batch_of(call.inputs[1]);
  Shape batch(std::max(x.size(), w.size()), 1);
  for (const Shape& own : {x, w}) {
    for (size_t axis = 0; axis < own.size(); ++axis) {
      int64_t& extent = batch[batch.size() - own.size() + axis];
      require(own[axis] == extent || own[axis] == 1 || extent == 1,
              "the axes of " + call.name(0) + " and " + call.name(1) + " before the last two, " +
                  text(std::span<const int64_t>(x)) + " and " + text(std::span<const int64_t>(w)) +
                  ", must broadcast");
      if (own[axis] != 1) extent = own[axis];
    }
  }
  return batch;
}

TensorType Matmul::infer(const OperatorCall& call) {
  const TensorType &x = call.inputs[0], &w = call.inputs[1];
  require(x.rank() >= 1 && w.rank() >= 1, "both need at least one axis");
  require(x.rank() > 1 || !call.attributes.boolean("transpose_x"),
          call.name(0) + " has one axis and cannot be transposed");
  require(w.rank() > 1 || !call.attributes.boolean("transpose_w"),
          call.name(1) + " has one axis and cannot be transposed");
  const int64_t x_j = contracted_axis(call, 0), w_j = contracted_axis(call, 1);
  const auto place = [](const TensorType& type, int64_t axis) -> std::string {
    if (axis == -1) return type.rank() == 1 ? "only" : "last";
    return type.rank() == 2 ? "first" : "next to last";
  };
  require(x.extent(x_j) == w.extent(w_j),
          "the " + place(x, x_j) + " extent of " + call.name(0) + " (" +
              std::to_string(x.extent(x_j)) + ") must equal the " + place(w, w_j) + " of " +
              call.name(1) + " (" + std::to_string(w.extent(w_j)) + ")");
  Shape y = broadcast_batch(call);
  if (x.rank() > 1) y.push_back(x.extent(x_j == -1 ? -2 : -1));
  if (w.rank() > 1) y.push_back(w.extent(w_j == -1 ? -2 : -1));
  return tensor_type(x.dtype, y);
}

Sample sample(Random& random) {
  const bool tx = random() % 2, tw = random() % 2;
  const Shape batch = random_shape(random, random_below(random, 3));
  const int64_t i = random_extent(random), j = random_extent(random), k = random_extent(random);
  const auto operand = [&](bool transposed, int64_t rows, int64_t columns) {
    Shape shape(batch.begin() + random_below(random, std::ssize(batch) + 1), batch.end());
    for (int64_t& extent : shape) {
      if (random() % 4 == 0) extent = 1;
    }
    if (transposed) std::swap(rows, columns);
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  const bool vector_x = !tx && random() % 6 == 0, vector_w = !tw && random() % 6 == 0;
  const Shape x = vector_x ? Shape{j} : operand(tx, i, j);
  const Shape w = vector_w ? Shape{j} : operand(tw, j, k);
  return {{{tensor_type(DType::f32, x), tensor_type(DType::f32, w)},
           {{"transpose_x", tx}, {"transpose_w", tw}}}};
}

}  // namespace

OperatorInfo matmul_operator() {
  return {
      .name = "matmul",
      .doc =
          "Matrix product over the last two axes, the others broadcast; either side may be "
          "transposed, and an operand of one axis is a vector.",
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
