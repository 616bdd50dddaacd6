// SPDX-License-Identifier: Apache-2.0
// Means of segments of an axis: y[.., g, ..] = mean of x[.., i, ..] over ends[g-1] <= i < ends[g].

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class SegmentMean final : public Operator {
 public:
  explicit SegmentMean(const OperatorCall& call)
      : Operator("segment_mean", call, {infer(call)}), axis_(axis_of(call)) {}

  // A segment is averaged whole, so its axis is cut at ends alone, in the positions of x: cuts
  // agree with those of attention over the same segments.
  std::vector<Signature> signatures() const override {
    const TensorType& x = inputs()[0];
    Signature signature = over_output(outputs()[0].shape());
    signature.indices[axis_] = {.name = "i" + std::to_string(axis_),
                                .extent = x.bounds[axis_].hi,
                                .cut = Index::Cut::at_ends,
                                .ends = ends()};
    signature.inputs = signature.outputs;
    signature.inputs[0].axes[axis_] = follow(axis_, x.bounds[axis_].hi);
    signature.outputs[0].axes[axis_].counting = ends();
    return {signature};
  }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.inputs[0]));
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::vector<int64_t> from;
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      const auto segment = static_cast<size_t>(at[axis_]);
      const int64_t first = segment == 0 ? 0 : ends()[segment - 1], last = ends()[segment];
      from.assign(at.begin(), at.end());
      double sum = 0;
      for (int64_t i = first; i < last; ++i) {
        from[axis_] = i;
        sum += in[0].at(from);
      }
      out[0].at(at) = sum / static_cast<double>(last - first);
    });
  }

 private:
  const std::vector<int64_t>& ends() const { return attributes().integers("ends"); }

  static size_t axis_of(const OperatorCall& call) {
    const int64_t rank = call.inputs[0].rank();
    require(rank > 0, call.name(0) + " must have an axis");
    return static_cast<size_t>(normalise_axis(call.attributes.integer("axis"), rank));
  }

  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    const size_t axis = axis_of(call);
    const auto& ends = call.attributes.integers("ends");
    const int64_t extent = x.bounds[axis].hi;
    const bool rising = std::ranges::adjacent_find(ends, std::greater_equal<>()) == ends.end();
    require(rising && (ends.empty() ? extent == 0 : ends.front() > 0 && ends.back() == extent),
            "ends must be positive and strictly increasing, the last " + std::to_string(extent) +
                ", the extent of axis " + std::to_string(axis) + " of " + call.name(0));
    require(is_float(x.dtype), "means are floats; " + call.name(0) + " must be one");
    Shape y = x.shape();
    y[axis] = static_cast<int64_t>(ends.size());
    return tensor_type(x.dtype, y);
  }

  size_t axis_;
};

Sample sample(Random& random) {
  const int64_t rank = 1 + random_below(random, 3), axis = random_below(random, rank);
  Shape x = random_shape(random, rank);
  std::vector<int64_t> ends;
  int64_t& extent = x[static_cast<size_t>(axis)];
  extent = 0;
  for (int64_t count = random_extent(random); count > 0; --count) {
    extent += 1 + random_below(random, 4);
    ends.push_back(extent);
  }
  return {{{tensor_type(DType::f32, x)},
           {{"ends", ends}, {"axis", random() % 2 ? axis : axis - rank}}}};
}

}  // namespace

OperatorInfo segment_mean_operator() {
  return {
      .name = "segment_mean",
      .doc =
          "The mean over each segment of an axis; `ends` are the end positions of the "
          "segments, the last the extent of the axis.",
      .inputs = {{"x", Promotion::floating}},
      .attributes = {{"ends", AttributeKind::integers, None{}, true},
                     {"axis", AttributeKind::integer, int64_t{0}}},
      .make = [](const OperatorCall& call) { return std::make_unique<SegmentMean>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
