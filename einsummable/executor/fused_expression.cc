// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/fused_expression.h"

#include "einsummable/base/error.h"
#include "einsummable/ops/elementwise.h"

namespace einsummable {
namespace {

// One operator applied to values of an expression: its function, or a cast.
Expression::Value apply(Expression& expression, const Operator& op,
                        const std::vector<Expression::Value>& operands) {
  ensure(op.elementwise(), "an expression of another operator");
  const auto application = application_of(op);
  if (!application) return expression.cast(operands[0], op.outputs()[0].dtype);
  // All of one dtype, but for the condition of `where`.
  std::vector<Expression::Value> alike;
  for (Expression::Value operand : operands) {
    alike.push_back(expression.cast(operand, expression.dtype(operands.back())));
  }
  return expression.apply(application->function, alike, application->parameter);
}

}  // namespace

Expression expression_of(const Operator& op, std::span<const DType> inputs) {
  Expression expression;
  std::vector<Expression::Value> operands;
  for (DType input : inputs) operands.push_back(expression.input(input));
  expression.output(apply(expression, op, operands));
  return expression;
}

Expression expression_of(const Graph& graph, const Task& task, std::span<const DType> inputs) {
  Expression expression;
  std::vector<Expression::Value> reads, made;
  for (DType input : inputs) reads.push_back(expression.input(input));
  for (const KernelStep& step : task.steps) {
    std::vector<Expression::Value> operands;
    for (const KernelStep::Input& input : step.inputs) {
      operands.push_back(input.step >= 0 ? made[static_cast<size_t>(input.step)]
                                         : reads[static_cast<size_t>(input.read)]);
    }
    made.push_back(apply(expression, *graph.op(step.op).op, operands));
  }
  expression.output(made.back());
  return expression;
}

std::vector<int64_t> broadcast_strides(std::span<const int64_t> input_shape,
                                       std::span<const int64_t> input_strides,
                                       std::span<const int64_t> shape) {
  const size_t missing = shape.size() - input_shape.size();
  std::vector<int64_t> strides(shape.size(), 0);
  for (size_t i = 0; i < input_shape.size(); ++i) {
    if (input_shape[i] == shape[missing + i]) strides[missing + i] = input_strides[i];
  }
  return strides;
}

}  // namespace einsummable
