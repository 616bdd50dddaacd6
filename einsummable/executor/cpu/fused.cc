// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, alone or in a run, as one expression over tiles.

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/elementwise.h"
#include "einsummable/ops/elementwise.h"

namespace einsummable::cpu {
namespace {

// One operator applied to values of an expression: its function, or a cast.
Expression::Value apply(Expression& expression, const Operator& op,
                        const std::vector<Expression::Value>& operands) {
  const auto application = application_of(op);
  if (!application) return expression.cast(operands[0], op.outputs()[0].dtype);
  // All of one dtype, but for the condition of `where`.
  std::vector<Expression::Value> alike;
  for (Expression::Value operand : operands) {
    alike.push_back(expression.cast(operand, expression.dtype(operands.back())));
  }
  return expression.apply(application->function, alike, application->parameter);
}

// The strides with which an input of `shape` is read by an output of `rank` axes: its axes are the
// last ones, and those of extent 1 stay where they are.
std::vector<int64_t> broadcast_strides(const StridedView& view, std::span<const int64_t> shape) {
  const size_t missing = shape.size() - view.shape.size();
  std::vector<int64_t> strides(shape.size(), 0);
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] == shape[missing + i]) strides[missing + i] = view.strides[i];
  }
  return strides;
}

// A run of the expression, with the views it needs, kept beyond the call it was prepared from.
struct ExpressionRun {
  Elementwise elementwise;
  std::vector<std::vector<int64_t>> strides;  // of the inputs, broadcast
  std::vector<StridedView> inputs, outputs;

  ExpressionRun(const Expression& expression, std::span<const StridedView> in,
                const StridedView& out)
      : elementwise(expression), inputs(in.begin(), in.end()), outputs({out}) {
    for (const StridedView& view : inputs) strides.push_back(broadcast_strides(view, out.shape));
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].shape = out.shape;
      inputs[i].strides = strides[i];
    }
  }
};

PreparedKernel prepare_expression(const Expression& expression, std::span<const StridedView> inputs,
                                  const StridedView& output) {
  auto run = std::make_shared<const ExpressionRun>(expression, inputs, output);
  const int64_t workspace = run->elementwise.workspace_bytes();
  return {.kind = PreparedKernel::Kind::fast,
          .workspace = workspace,
          .run = [run = std::move(run)](std::span<std::byte> scratch) {
            run->elementwise.run(run->inputs, run->outputs, scratch);
          }};
}

}  // namespace

PreparedKernel prepare_elementwise(const Operator& op, std::span<const StridedView> inputs,
                                   const StridedView& output) {
  Expression expression;
  std::vector<Expression::Value> operands;
  for (const StridedView& input : inputs) operands.push_back(expression.input(input.dtype));
  expression.output(apply(expression, op, operands));
  return prepare_expression(expression, inputs, output);
}

PreparedKernel prepare_fused(const Graph& graph, const Task& task,
                             std::span<const StridedView> inputs,
                             std::span<const StridedView> outputs) {
  Expression expression;
  std::vector<Expression::Value> reads, made;
  for (const StridedView& input : inputs) reads.push_back(expression.input(input.dtype));
  for (const KernelStep& step : task.steps) {
    std::vector<Expression::Value> operands;
    for (const KernelStep::Input& input : step.inputs) {
      operands.push_back(input.step >= 0 ? made[static_cast<size_t>(input.step)]
                                         : reads[static_cast<size_t>(input.read)]);
    }
    made.push_back(apply(expression, *graph.op(step.op).op, operands));
  }
  expression.output(made.back());
  return prepare_expression(expression, inputs, outputs[0]);
}

}  // namespace einsummable::cpu
