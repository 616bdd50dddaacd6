// SPDX-License-Identifier: Apache-2.0
// Extended Einstein notation: y[output] = aggregate over the other letters of
// combine(combine(x0[..], x1[..]), ..): "ij,jk->ik" with multiply and sum is a matrix product, with
// add and min the shortest paths of two edges.

#include "einsummable/base/text.h"
#include "einsummable/ops/einsum_notation.h"
#include "einsummable/ops/functions.h"
#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

constexpr std::string_view kAggregates = "sum, prod, max or min";

EinsumNotation notation_of(const OperatorCall& call) {
  std::vector<Shape> shapes;
  for (const TensorType& input : call.inputs) shapes.push_back(input.shape());
  return parse_einsum(call.attributes.string("spec"), shapes, call.names);
}

FunctionId combine_of(const OperatorCall& call) {
  const std::string& name = call.attributes.string("combine");
  const auto id = find_function(name);
  const DType dtype = call.inputs[0].dtype;
  const DType two[] = {dtype, dtype};
  const bool legal = id && scalar_function(*id).arity == 2 &&
                     scalar_function(*id).result == Result::same && operand_dtype(*id, two);
  require(legal, "combine must name a function of two operands that gives their dtype (" +
                     std::string(long_name(dtype)) + "), as multiply, add, maximum or minimum; " +
                     quote(name) + " does not");
  return *id;
}

// As in NumPy a sum of bools is `or`, and a product of them is `and`.
Merge aggregate_of(const OperatorCall& call) {
  const std::string& name = call.attributes.string("aggregate");
  const bool of_bools = call.inputs[0].dtype == DType::boolean;
  if (name == "sum") return of_bools ? Merge::max : Merge::sum;
  if (name == "prod") return of_bools ? Merge::min : Merge::prod;
  require(name == "max" || name == "min",
          "aggregate must be " + std::string(kAggregates) + ", not " + quote(name));
  return name == "max" ? Merge::max : Merge::min;
}

class Einsum final : public Operator {
 public:
  explicit Einsum(const OperatorCall& call)
      : Operator("einsum", call, {infer(call)}),
        notation_(notation_of(call)),
        combine_(combine_of(call)),
        aggregate_(aggregate_of(call)) {}

  // Every letter may be cut anywhere; a cut of one that is missing from the output leaves partial
  // results (Section 3.3).
  std::vector<Signature> signatures() const override {
    Signature signature;
    for (const auto& [name, extent] : notation_.labels) {
      signature.indices.push_back({.name = name, .extent = extent});
    }
    for (size_t i = 0; i < inputs().size(); ++i) {
      signature.inputs.push_back(map(notation_.inputs[i], inputs()[i].shape()));
    }
    signature.outputs.push_back(map(notation_.output, outputs()[0].shape()));
    return {signature};
  }

  PartialType partial(size_t output) const override {
    return partial_of(outputs()[output], aggregate_);
  }

  // A point of the space of all letters costs one operation an operand: those that combine, and
  // the one that aggregates.
  double flops(const FunctionSpec& cell) const override {
    const bool aggregates = notation_.output.size() < notation_.labels.size();
    double points = static_cast<double>(inputs().size() - (aggregates ? 0 : 1));
    for (Interval letter : letters(cell)) points *= static_cast<double>(letter.length());
    return points;
  }

  KernelShape kernel_shape(const FunctionSpec& cell) const override {
    return inputs().size() == 2 ? product_shape(cell, flops(cell)) : Operator::kernel_shape(cell);
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    compute(cell, in, out);
  }
  void integer_reference(const FunctionSpec& cell, std::span<const IntegerArray> in,
                         std::span<IntegerArray> out) const override {
    compute(cell, in, out);
  }

 private:
  template <class T>
  void compute(const FunctionSpec& cell, std::span<const Array<T>> in,
               std::span<Array<T>> out) const {
    out[0] = identity<T>(partial(0), cell.outputs[0])[0];
    std::vector<std::vector<int64_t>> at;
    for (const Array<T>& x : in) at.emplace_back(x.bounds().size());
    std::vector<int64_t> y(notation_.output.size());
    for_each_position(letters(cell), [&](std::span<const int64_t> point) {
      T value = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        place(notation_.inputs[i], point, at[i]);
        const T x = in[i].at(at[i]);
        value = i == 0 ? x : evaluate_as(combine_, inputs()[0].dtype, T{0}, value, x);
      }
      place(notation_.output, point, y);
      out[0].at(y) = merge_values(aggregate_, out[0].at(y), value);
    });
  }

  static TensorType infer(const OperatorCall& call) {
    combine_of(call);
    aggregate_of(call);
    const EinsumNotation notation = notation_of(call);
    Shape y;
    bool nothing = false;
    for (int32_t label : notation.output) {
      y.push_back(notation.labels[static_cast<size_t>(label)].extent);
    }
    for (size_t label = 0; label < notation.labels.size(); ++label) {
      nothing = nothing || (notation.aggregates(static_cast<int32_t>(label)) &&
                            notation.labels[label].extent == 0);
    }
    const std::string& aggregate = call.attributes.string("aggregate");
    require(!nothing || aggregate == "sum" || aggregate == "prod",
            aggregate + " over nothing has no value; an aggregated letter has extent 0");
    return tensor_type(call.inputs[0].dtype, y);
  }

  static OperandMap map(const std::vector<int32_t>& labels, const Shape& shape) {
    OperandMap operand;
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      AxisMap& one = operand.axes.emplace_back(AxisMap{.extent = shape[axis]});
      if (labels[axis] != EinsumNotation::kBroadcast) one.terms = {{labels[axis]}};
    }
    return operand;
  }

  // The interval of each label in a cell.
  Box letters(const FunctionSpec& cell) const {
    Box intervals;
    for (const auto& label : notation_.labels) intervals.push_back({0, label.extent});
    for (size_t i = 0; i < cell.inputs.size(); ++i) {
      for (size_t axis = 0; axis < notation_.inputs[i].size(); ++axis) {
        const int32_t label = notation_.inputs[i][axis];
        if (label == EinsumNotation::kBroadcast) continue;
        intervals[static_cast<size_t>(label)] = cell.inputs[i][axis];
      }
    }
    return intervals;
  }

  // The position along each axis of an operand at a point of the space of all labels.
  static void place(const std::vector<int32_t>& labels, std::span<const int64_t> point,
                    std::vector<int64_t>& position) {
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      position[axis] =
          labels[axis] == EinsumNotation::kBroadcast ? 0 : point[static_cast<size_t>(labels[axis])];
    }
  }

  EinsumNotation notation_;
  FunctionId combine_;
  Merge aggregate_;
};

// One to three operands over up to five letters, at most three an operand; letters may meet within
// one operand; now and then axes under "...", some of them broadcast.
Sample sample(Random& random) {
  const Shape extents = random_shape(random, 5);
  const Shape batch = random_shape(random, random_below(random, 3));
  const bool ellipsis = random() % 3 == 0;
  std::string left, all, output;
  std::vector<TensorType> inputs;
  const int64_t operands = 1 + random_below(random, 3);
  for (int64_t i = 0; i < operands; ++i) {
    Shape shape;
    if (i > 0) left += ",";
    if (ellipsis) {
      left += "...";
      shape.assign(batch.begin() + random_below(random, std::ssize(batch) + 1), batch.end());
      for (int64_t& extent : shape) {
        if (random() % 3 == 0) extent = 1;
      }
    }
    for (int64_t axis = random_below(random, 4); axis-- > 0;) {
      const int64_t letter = random_below(random, 5);
      left += static_cast<char>('a' + letter);
      all += left.back();
      shape.push_back(extents[static_cast<size_t>(letter)]);
    }
    inputs.push_back(tensor_type(DType::f32, shape));
  }
  std::ranges::shuffle(all, random);
  for (char letter : all) {
    if (random() % 2 && output.find(letter) == std::string::npos) output += letter;
  }
  const bool over_nothing = std::ranges::find(extents, 0) != extents.end();
  static constexpr std::array<const char*, 4> combines = {"multiply", "add", "maximum", "subtract"};
  static constexpr std::array<const char*, 4> aggregates = {"sum", "prod", "max", "min"};
  const bool implicit = random() % 4 == 0;
  return {{inputs,
           {{"spec", implicit ? left : left + " -> " + (ellipsis ? "..." : "") + output},
            {"combine", std::string(combines[random() % 4])},
            {"aggregate", std::string(aggregates[random() % (over_nothing ? 2 : 4)])}}}};
}

}  // namespace

OperatorInfo einsum_operator() {
  return {
      .name = "einsum",
      .doc =
          "Extended Einstein notation over any number of inputs: combines them by a function of "
          "two operands and aggregates over the letters that the output lacks.",
      .inputs = {{"x", Promotion::common, InputInfo::Arity::variadic}},
      .attributes = {{"spec", AttributeKind::string, None{}, true},
                     {"combine", AttributeKind::string, std::string("multiply")},
                     {"aggregate", AttributeKind::string, std::string("sum")}},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Einsum>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
