// SPDX-License-Identifier: Apache-2.0
// Another shape with the same elements in row-major order: y.flat[i] = x.flat[i].

#include <numeric>

#include "einsummable/base/checked.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

// The axes of one side that are not yet in index notation, outermost first; of the first, the
// elements that an index has left to it.
struct Side {
  struct Axis {
    size_t axis;
    int64_t extent;
  };
  std::vector<Axis> axes = {};
  OperandMap* operand;

  int64_t inner() const {  // elements of all axes but the first
    int64_t product = 1;
    for (size_t i = 1; i < axes.size(); ++i) product *= axes[i].extent;
    return product;
  }

  // An index of `factor` elements a unit takes the outer part of the first axis.
  void take(int32_t index, int64_t factor) {
    AxisMap& map = operand->axes[axes[0].axis];
    map.terms.push_back({index, factor});
    map.width = factor;
    axes[0].extent = factor;
    if (factor == 1) axes.erase(axes.begin());
  }
};

// Index notation for one group of equal products: the outermost index takes as many units as both
// outermost axes can be cut into; where it is in units, the next one goes on inside a unit.
//   [b, s] -> [(b s)]      [8, 3] -> [2, 12]: (u v) w* -> u (v w)
void notate(Signature& signature, Side x, Side y, int64_t product) {
  int32_t outer = -1;
  while (!x.axes.empty() && !y.axes.empty()) {
    const int64_t in_x = x.inner(), in_y = y.inner(), unit = std::lcm(in_x, in_y);
    if (unit == product) return;
    const auto index = static_cast<int32_t>(signature.indices.size());
    signature.indices.push_back(
        {.name = "i" + std::to_string(index), .extent = product / unit, .within = outer});
    x.take(index, unit / in_x);
    y.take(index, unit / in_y);
    product = unit;
    outer = index;
  }
}

// The same elements, in row-major order, in another shape; none if no strides give it.
std::optional<StridedLayout> reshaped(const StridedLayout& from, const Shape& shape) {
  StridedLayout to{from.offset, shape, row_major_strides(shape)};
  if (elements(shape) == 0) return to;
  size_t i = from.shape.size();
  int64_t run = 1, step = 1,
          filled = 1;  // of `from`: elements that lie `step` apart, the innermost
  for (size_t j = shape.size(); j-- > 0;) {
    if (shape[j] == 1) continue;
    if (filled == run) run = filled = 1;
    const int64_t outer = filled;
    while (run % (outer * shape[j]) != 0) {
      while (i > 0 && from.shape[i - 1] == 1) --i;
      if (i == 0) return std::nullopt;
      --i;
      if (run == 1) step = from.strides[i];
      if (from.strides[i] != step * run) return std::nullopt;
      run *= from.shape[i];
    }
    to.strides[j] = step * outer;
    filled *= shape[j];
  }
  return to;
}

class Reshape final : public Operator {
 public:
  explicit Reshape(const OperatorCall& call) : Operator("reshape", call, {infer(call)}) {}

  // Axes of extent 1 have no index; the others are grouped by equal products. A tensor without
  // elements is not cut.
  std::vector<Signature> signatures() const override {
    const Shape x = inputs()[0].shape(), y = outputs()[0].shape();
    Signature signature{.inputs = {OperandMap{}}, .outputs = {OperandMap{}}, .layout = true};
    for (int64_t extent : x) signature.inputs[0].axes.push_back({.extent = extent});
    for (int64_t extent : y) signature.outputs[0].axes.push_back({.extent = extent});
    if (elements(x) == 0) return {signature};
    size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
      Side left{.operand = &signature.inputs[0]}, right{.operand = &signature.outputs[0]};
      int64_t in_x = 1, in_y = 1;
      const auto extend = [](Side& side, const Shape& shape, size_t& axis, int64_t& product) {
        if (shape[axis] > 1) side.axes.push_back({axis, shape[axis]});
        product *= shape[axis++];
      };
      do {
        const bool from_x = j == y.size() || (i < x.size() && in_x <= in_y);
        from_x ? extend(left, x, i, in_x) : extend(right, y, j, in_y);
      } while (in_x != in_y);
      notate(signature, std::move(left), std::move(right), in_x);
    }
    return {signature};
  }

  std::optional<StridedLayout> view(const FunctionSpec& cell,
                                    const StridedLayout& input) const override {
    return reshaped(input, shape_of(cell.outputs[0]));
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const std::vector<int64_t> x = row_major_strides(inputs()[0].shape());
    const std::vector<int64_t> y = row_major_strides(outputs()[0].shape());
    std::vector<int64_t> from(x.size());
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      int64_t place = std::inner_product(at.begin(), at.end(), y.begin(), int64_t{0});
      for (size_t i = 0; i < x.size(); ++i) {
        from[i] = place / x[i];
        place %= x[i];
      }
      out[0].at(at) = in[0].at(from);
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType& x = call.inputs[0];
    Shape y = call.attributes.integers("shape");
    require(std::ranges::count(y, -1) <= 1, "at most one extent of the shape may be -1");
    const auto inferred = std::ranges::find(y, -1);
    if (inferred != y.end()) {
      *inferred = 1;
      const int64_t others = tensor_type(x.dtype, y).elements();
      require(others > 0 && x.elements() % others == 0,
              "-1 stands for no extent: the " + std::to_string(x.elements()) + " elements of " +
                  call.name(0) + " must be a multiple of the " + std::to_string(others) +
                  " of the other extents");
      *inferred = x.elements() / others;
    }
    const TensorType out = tensor_type(x.dtype, y);
    require(out.elements() == x.elements(),
            "the shape " + text(y) + " has " + std::to_string(out.elements()) +
                " elements; it must have the " + std::to_string(x.elements()) + " of " +
                call.name(0));
    return out;
  }
};

// A shape of `count` elements: its prime factors multiplied together in random runs.
Shape random_factors(Random& random, int64_t count) {
  Shape shape;
  for (int64_t factor = 2; count > 1;) {
    if (count % factor != 0) {
      ++factor;
      continue;
    }
    count /= factor;
    if (!shape.empty() && random() % 3 == 0) {
      shape[random() % shape.size()] *= factor;
    } else {
      shape.insert(shape.begin() + random_below(random, static_cast<int64_t>(shape.size()) + 1),
                   factor);
    }
    if (random() % 6 == 0) shape.push_back(1);
  }
  return shape;
}

Sample sample(Random& random) {
  static constexpr std::array<int64_t, 16> counts = {1,  2,  7,  12,  16,  24,  30,  36,
                                                     48, 60, 72, 105, 120, 128, 210, 360};
  const int64_t count = counts[random() % counts.size()];
  Shape x = random_factors(random, count), y = random_factors(random, count);
  if (random() % 20 == 0) {
    x.push_back(0);
    y.insert(y.begin(), 0);
  } else if (!y.empty() && random() % 4 == 0) {
    y[random() % y.size()] = -1;
  }
  return {{{tensor_type(DType::f32, x)}, {{"shape", y}}}};
}

}  // namespace

OperatorInfo reshape_operator() {
  return {
      .name = "reshape",
      .doc =
          "The same elements, in row-major order, in another shape; one extent may be -1, "
          "which stands for what the others leave.",
      .inputs = {{"x"}},
      .attributes = {{"shape", AttributeKind::integers, None{}, true}},
      .make = [](const OperatorCall& call) { return std::make_unique<Reshape>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
