// SPDX-License-Identifier: Apache-2.0
// Products with what follows them: sums with a residual and a bias, then an activation.

#include <algorithm>

#include "einsummable/executor/cuda/kernels/product.h"
#include "einsummable/ops/elementwise.h"

namespace einsummable::cuda {
namespace {

// Adds steps of a task to an epilogue, one after another.
class EpilogueReader {
 public:
  EpilogueReader(std::span<const Block> reads, const Block& output)
      : reads_(reads), output_(output) {}

  // Whether the library does this step too.
  bool take(const Operator& op, const KernelStep& step) {
    const auto application = application_of(op);
    if (!application || op.outputs()[0].dtype != output_.dtype) return false;
    if (epilogue_.activation != Activation::none) return false;
    if (application->function == FunctionId::add) return take_addend(step);
    if (application->function == FunctionId::gelu_tanh) {
      epilogue_.activation = Activation::gelu_tanh;
    } else if (application->function == FunctionId::relu && application->parameter == 0) {
      epilogue_.activation = Activation::relu;
    }
    return epilogue_.activation != Activation::none;
  }

  const Epilogue& epilogue() const { return epilogue_; }

 private:
  bool take_addend(const KernelStep& step) {
    const auto other = std::ranges::find_if(
        step.inputs, [](const KernelStep::Input& input) { return input.read >= 0; });
    if (other == step.inputs.end()) return false;
    const Epilogue::Addend addend{other->read, reads_[static_cast<size_t>(other->read)]};
    if (addend.block.dtype != output_.dtype) return false;
    auto& place = addend.block.shape == output_.shape ? epilogue_.residual : epilogue_.bias;
    if (place) return false;
    place = addend;
    return true;
  }

  std::span<const Block> reads_;
  const Block& output_;
  Epilogue epilogue_;
};

}  // namespace

std::optional<PreparedTask> prepare_epilogue(const TaskGraph& graph, const Task& task,
                                             std::span<const Block> inputs, const Block& output,
                                             const KernelOptions& options) {
  const KernelStep& first = task.steps[0];
  const Operator& op = *graph.graph().op(first.op).op;
  const auto entry = std::ranges::find(kernels(), op.name(), &KernelEntry::op);
  if (entry == kernels().end() || !entry->prepare_with) return std::nullopt;
  EpilogueReader reader(inputs, output);
  for (size_t s = 1; s < task.steps.size(); ++s) {
    if (!reader.take(*graph.graph().op(task.steps[s].op).op, task.steps[s])) return std::nullopt;
  }
  const FunctionSpec cell = graph.plan->specs[first.op.index()].cell(first.cell);
  const char complete = 1;
  return entry->prepare_with(
      {op, cell, inputs.first(first.inputs.size()), {&output, 1}, {&complete, 1}},
      reader.epilogue(), options);
}

}  // namespace einsummable::cuda
