// SPDX-License-Identifier: Apache-2.0
// Where the largest value lies: y = the least position along `axis` (over all axes: in row-major
// order) at which x is largest; NaN counts as the largest.

#include "einsummable/base/checked.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/reduced_axes.h"

namespace einsummable {
namespace {

class Argmax final : public Operator {
 public:
  explicit Argmax(const OperatorCall& call) : Operator("argmax", call, {infer(call)}), axes_(call) {
    const Shape& x = inputs()[0].shape();
    strides_ = row_major_strides(x);
    if (!call.attributes.has("axis")) return;
    std::ranges::fill(strides_, 0);
    const int64_t axis = normalise_axes(call.attributes, "axis", inputs()[0].rank())[0];
    strides_[static_cast<size_t>(axis)] = 1;
  }

  // Every axis may be cut anywhere: a partial result is a position in the whole tensor and the
  // value there, so the order of merging does not matter.
  std::vector<Signature> signatures() const override { return {axes_.signature()}; }

  PartialType partial(size_t output) const override {
    PartialType partial = partial_of(outputs()[output], Merge::first_max);
    partial.components[0].name = "index";
    partial.components.push_back({"value", inputs()[0].dtype, partial.components[0].axes});
    return partial;
  }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.inputs[0]));
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const PartialType type = partial(0);
    std::vector<Array64> best = identity(type, cell.outputs[0]);
    std::vector<int64_t> y;
    for_each_position(cell.inputs[0], [&](std::span<const int64_t> x) {
      axes_.place(x, y);
      int64_t position = 0;
      for (size_t axis = 0; axis < x.size(); ++axis) position += x[axis] * strides_[axis];
      const double value = in[0].at(x);
      double &index = best[0].at(y), &largest = best[1].at(y);
      if (comes_first(static_cast<double>(position), value, index, largest)) {
        index = static_cast<double>(position);
        largest = value;
      }
    });
    std::ranges::move(best, out.begin());
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    require(!call.attributes.has("axis") || call.attributes.integers("axis").size() == 1,
            "axis must be one axis, or none for the position among all elements");
    const ReducedAxes axes(call);
    require(axes.count() > 0, "argmax over nothing has no value; a reduced axis has extent 0");
    return tensor_type(DType::i64, axes.output_shape());
  }

  ReducedAxes axes_;
  std::vector<int64_t> strides_;  // of positions
};

}  // namespace

OperatorInfo argmax_operator() {
  return {
      .name = "argmax",
      .doc =
          "Position of the largest value along one axis, or among all elements in row-major "
          "order; the first of equals, NaN the largest.",
      .inputs = {{"x"}},
      .attributes = reduction_attributes(),
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Argmax>(call);
      },
      .sample =
          [](Random& random) {
            return ReductionSample{.nothing_is_legal = false, .several = false}(random);
          },
  };
}

}  // namespace einsummable
