// SPDX-License-Identifier: Apache-2.0
// Part of each axis, at a step: y[.., i, ..] = x[.., start + step * i, ..].

#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

// Positions start, start + step, ...: `count` of them.
struct Range {
  int64_t start, step, count;
};

// What NumPy makes of start:stop:step on an axis of extent n: negative bounds count from the end,
// and all are limited to the axis.
Range normalise(int64_t start, int64_t stop, int64_t step, int64_t n) {
  step = std::clamp(step, -n - 1, n + 1);
  const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  const auto bound = [&](int64_t x) { return std::clamp(x < 0 ? x + n : x, low, high); };
  start = bound(start);
  stop = bound(stop);
  if (step > 0) return {start, step, stop > start ? (stop - start - 1) / step + 1 : 0};
  return {start, step, start > stop ? (start - stop - 1) / -step + 1 : 0};
}

class Slice final : public Operator {
 public:
  explicit Slice(const OperatorCall& call)
      : Operator("slice", call, {infer(call)}), ranges_(ranges(call)) {}

  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    OperandMap x;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      x.axes.push_back(follow(i, inputs()[0].bounds[i].hi, ranges_[i].step, ranges_[i].start));
    }
    signature.inputs = {std::move(x)};
    signature.layout = true;
    return {signature};
  }

  std::optional<StridedLayout> view(const FunctionSpec& cell,
                                    const StridedLayout& input) const override {
    StridedLayout y{input.offset, shape_of(cell.outputs[0]), {}};
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const int64_t first = ranges_[i].start + ranges_[i].step * cell.outputs[0][i].lo;
      y.offset += (first - cell.inputs[0][i].lo) * input.strides[i];
      y.strides.push_back(ranges_[i].step * input.strides[i]);
    }
    return y;
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::vector<int64_t> from(ranges_.size());
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      for (size_t i = 0; i < at.size(); ++i) from[i] = ranges_[i].start + ranges_[i].step * at[i];
      out[0].at(at) = in[0].at(from);
    });
  }

 private:
  static std::vector<Range> ranges(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    const auto &starts = call.attributes.integers("starts"),
               &stops = call.attributes.integers("stops");
    const auto steps = call.attributes.has("steps") ? call.attributes.integers("steps")
                                                    : std::vector<int64_t>(starts.size(), 1);
    const auto rank = static_cast<size_t>(x.rank());
    require(starts.size() == rank && stops.size() == rank && steps.size() == rank,
            "starts, stops and steps must have one entry for each of the " + std::to_string(rank) +
                " axes of " + call.name(0));
    std::vector<Range> out;
    for (size_t i = 0; i < rank; ++i) {
      require(steps[i] != 0, "the step of axis " + std::to_string(i) + " is 0; it must not be");
      out.push_back(normalise(starts[i], stops[i], steps[i], x.bounds[i].hi));
    }
    return out;
  }

  static TensorType infer(const OperatorCall& call) {
    Shape y;
    for (const Range& range : ranges(call)) y.push_back(range.count);
    return tensor_type(call.inputs[0].dtype, y);
  }

  std::vector<Range> ranges_;
};

Sample sample(Random& random) {
  const Shape x = random_shape(random, random_below(random, 4));
  std::vector<int64_t> starts, stops, steps;
  for (int64_t n : x) {
    const int64_t step = 1 + random_below(random, 3);
    const int64_t a = random_below(random, n / 2 + 1), b = n - random_below(random, n / 3 + 1);
    const bool backward = random() % 3 == 0, from_end = random() % 3 == 0;
    starts.push_back(backward ? b - 1 : from_end ? a - n : a);
    stops.push_back(backward ? (a > 0 ? a - 1 : -n - 1) : b);
    steps.push_back(backward ? -step : step);
  }
  Attributes attributes{{"starts", starts}, {"stops", stops}};
  if (random() % 4 != 0) attributes.set("steps", steps);
  return {{{tensor_type(DType::f32, x)}, attributes}};
}

}  // namespace

OperatorInfo slice_operator() {
  return {
      .name = "slice",
      .doc =
          "The part start:stop:step of every axis, as NumPy reads it; a stop of at most -n - 1 "
          "includes position 0 where the step is negative.",
      .inputs = {{"x"}},
      .attributes = {{"starts", AttributeKind::integers, None{}, true},
                     {"stops", AttributeKind::integers, None{}, true},
                     {"steps", AttributeKind::integers}},
      .make = [](const OperatorCall& call) { return std::make_unique<Slice>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
