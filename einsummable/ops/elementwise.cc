// SPDX-License-Identifier: Apache-2.0
// A scalar function of every element: y[position] = f(x[position], ..), inputs broadcast.

#include "einsummable/ops/elementwise.h"

#include <array>

#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

constexpr std::array<std::string_view, 3> kOperandNames = {"x", "y", "z"};

std::string_view operand_name(const ScalarFunction& function, size_t i) {
  if (function.id != FunctionId::where) return kOperandNames[i];
  return std::array<std::string_view, 3>{"condition", "x", "y"}[i];
}

// `where` chooses by a condition that is no operand like the others.
bool is_condition(const ScalarFunction& function, size_t i) {
  return function.id == FunctionId::where && i == 0;
}

class Elementwise final : public Operator {
 public:
  Elementwise(const ScalarFunction& function, const OperatorCall& call)
      : Operator(std::string(function.name), call, {infer(function, call)}), function_(function) {}

  std::vector<Signature> signatures() const override {
    const Shape y = outputs()[0].shape();
    Signature signature = over_output(y);
    for (const TensorType& x : inputs()) signature.inputs.push_back(broadcast(x.shape(), y));
    return {signature};
  }

  bool elementwise() const override { return true; }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.outputs[0]));
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    std::array<double, 3> operands = {};
    std::vector<int64_t> from;
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      for (size_t i = 0; i < in.size(); ++i) {
        broadcast_position(cell.inputs[i], at, from);
        operands[i] = in[i].at(from);
      }
      out[0].at(at) = evaluate_as(function_.id, inputs().back().dtype, application().parameter,
                                  operands[0], operands[1], operands[2]);
    });
  }

  Application application() const {
    return {function_.id, function_.parameter ? attributes().real("a") : 0};
  }

 private:
  static TensorType infer(const ScalarFunction& function, const OperatorCall& call) {
    const DType dtype = call.inputs.back().dtype;
    std::vector<DType> dtypes;
    for (const TensorType& x : call.inputs) dtypes.push_back(x.dtype);
    if (function.id == FunctionId::where) {
      require(dtypes[0] == DType::boolean, "the condition must be bool; " + call.name(0) + " is " +
                                               std::string(long_name(dtypes[0])) +
                                               ", compare it with a number");
    }
    require(operand_dtype(function.id, dtypes).has_value(),
            std::string(long_name(dtype)) + " is not a dtype it takes; cast to a number first");
    if (function.parameter && !is_float(dtype)) {
      require_representable(dtype, call.attributes.real("a"));
    }
    Shape y = call.inputs[0].shape();
    for (size_t i = 1; i < call.inputs.size(); ++i) y = broadcast_shape(call, i, y);
    return tensor_type(result_dtype(function.id, dtype), y);
  }

  // The shape that `shape` and input i are both broadcast to.
  static Shape broadcast_shape(const OperatorCall& call, size_t i, Shape shape) {
    Shape other = call.inputs[i].shape();
    if (other.size() > shape.size()) std::swap(other, shape);
    const size_t missing = shape.size() - other.size();
    for (size_t axis = 0; axis < other.size(); ++axis) {
      int64_t& extent = shape[axis + missing];
      require(extent == other[axis] || extent == 1 || other[axis] == 1,
              "shapes are aligned at the last axis, and extents must agree or be 1; axis " +
                  std::to_string(static_cast<int64_t>(axis) - static_cast<int64_t>(other.size())) +
                  " has " + std::to_string(extent) + " and " + std::to_string(other[axis]));
      if (extent == 1) extent = other[axis];
    }
    return shape;
  }

  const ScalarFunction& function_;
};

Sample sample(const ScalarFunction& function, Random& random) {
  const Shape shape = random_shape(random, random_below(random, 4));
  Sample out;
  for (int32_t i = 0; i < function.arity; ++i) {
    Shape x = shape;
    if (i > 0) x.erase(x.begin(), x.begin() + random_below(random, std::ssize(x) + 1));
    for (int64_t& extent : x) extent = function.arity > 1 && random() % 4 == 0 ? 1 : extent;
    const bool condition = is_condition(function, static_cast<size_t>(i));
    out.call.inputs.push_back(tensor_type(condition ? DType::boolean : DType::f32, x));
  }
  std::ranges::reverse(out.call.inputs.begin() + (function.id == FunctionId::where ? 1 : 0),
                       out.call.inputs.end());
  if (function.parameter && random() % 2) {
    out.call.attributes.set("a", static_cast<double>(1 + random_below(random, 3)));
  }
  return out;
}

OperatorInfo elementwise_operator(const ScalarFunction& function) {
  OperatorInfo info{.name = function.name, .doc = function.doc};
  const Promotion promotion =
      function.result == Result::floating ? Promotion::floating : Promotion::common;
  for (size_t i = 0; i < static_cast<size_t>(function.arity); ++i) {
    info.inputs.push_back(
        {operand_name(function, i), is_condition(function, i) ? Promotion::none : promotion});
  }
  if (function.parameter) info.attributes = {{"a", AttributeKind::real, *function.parameter}};
  info.make = [&function](const OperatorCall& call) {
    return std::make_unique<Elementwise>(function, call);
  };
  info.sample = [&function](Random& random) { return sample(function, random); };
  return info;
}

}  // namespace

std::vector<OperatorInfo> elementwise_operators() {
  std::vector<OperatorInfo> all;
  for (const ScalarFunction& function : scalar_functions()) {
    all.push_back(elementwise_operator(function));
  }
  return all;
}

std::optional<Application> application_of(const Operator& op) {
  const auto* elementwise = dynamic_cast<const Elementwise*>(&op);
  if (!elementwise) return std::nullopt;
  return elementwise->application();
}

}  // namespace einsummable
