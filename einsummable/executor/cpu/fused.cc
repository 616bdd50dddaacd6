// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, alone or in a run, as one expression over tiles.

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/elementwise.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cpu {
namespace {

// A run of the expression, with the views it needs, kept beyond the call it was prepared from.
struct ExpressionRun {
  Elementwise elementwise;
  std::vector<std::vector<int64_t>> strides;  // of the inputs, broadcast
  std::vector<StridedView> inputs, outputs;

  ExpressionRun(const Expression& expression, std::span<const StridedView> in,
                const StridedView& out)
      : elementwise(expression), inputs(in.begin(), in.end()), outputs({out}) {
    for (const StridedView& view : inputs) {
      strides.push_back(broadcast_strides(view.shape, view.strides, out.shape));
    }
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

std::vector<DType> dtypes(std::span<const StridedView> views) {
  std::vector<DType> out;
  for (const StridedView& view : views) out.push_back(view.dtype);
  return out;
}

}  // namespace

PreparedKernel prepare_elementwise(const Operator& op, std::span<const StridedView> inputs,
                                   const StridedView& output) {
  return prepare_expression(expression_of(op, dtypes(inputs)), inputs, output);
}

PreparedKernel prepare_fused(const Graph& graph, const Task& task,
                             std::span<const StridedView> inputs,
                             std::span<const StridedView> outputs) {
  return prepare_expression(expression_of(graph, task, dtypes(inputs)), inputs, outputs[0]);
}

}  // namespace einsummable::cpu
