// SPDX-License-Identifier: Apache-2.0
// sum, prod, max, min, mean, any, all, logsumexp and argmax.

#include <memory>

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/argmax.h"
#include "einsummable/executor/cpu/kernels/owned_view.h"
#include "einsummable/executor/cpu/kernels/reduce.h"

namespace einsummable::cpu {
namespace {

struct ReducedAxes {
  std::vector<int64_t> axes;
  std::vector<bool> dropped;  // of the output: axes of extent 1 that only keepdims keeps

  explicit ReducedAxes(const KernelCall& call)
      : axes(normalise_axes(call.op.attributes(), "axis", call.inputs[0].rank())),
        dropped(call.outputs[0].shape.size(), false) {
    if (!call.op.attributes().boolean("keepdims")) return;
    for (int64_t axis : axes) dropped[static_cast<size_t>(axis)] = true;
  }
};

template <Reduction reduction>
std::optional<PreparedKernel> prepare_reduction(const KernelCall& call) {
  const ReducedAxes reduced(call);
  const auto y =
      std::make_shared<const OwnedView>(OwnedView::without(call.outputs[0], reduced.dropped));
  const double scale = call.complete[0] ? call.op.partial(0).scale : 1;
  const StridedView x = call.inputs[0];
  return PreparedKernel{.kind = PreparedKernel::Kind::fast,
                        .workspace = reduce_workspace_bytes(reduction, x, reduced.axes, y->view()),
                        .run = [x, y, scale, axes = reduced.axes](std::span<std::byte> workspace) {
                          reduce(reduction, x, axes, scale, y->view(), workspace);
                        }};
}

std::optional<PreparedKernel> prepare_argmax(const KernelCall& call) {
  const ReducedAxes reduced(call);
  // Positions are those of the whole tensor: along the axis, or among all its elements.
  std::vector<int64_t> steps(reduced.axes.size(), 1);
  if (!call.op.attributes().has("axis")) steps = row_major_strides(call.op.inputs()[0].shape());
  int64_t origin = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    origin += steps[i] * call.cell.inputs[0][static_cast<size_t>(reduced.axes[i])].lo;
  }
  struct Outputs {
    OwnedView index;
    std::optional<OwnedView> value;
  };
  const auto outputs =
      std::make_shared<Outputs>(Outputs{OwnedView::without(call.outputs[0], reduced.dropped), {}});
  if (!call.complete[0]) {
    outputs->value = OwnedView::without(call.outputs[1], reduced.dropped);
  }
  return PreparedKernel{.kind = PreparedKernel::Kind::fast,
                        .workspace = argmax_workspace_bytes(),
                        .run = [x = call.inputs[0], axes = reduced.axes, origin, steps,
                                outputs](std::span<std::byte> workspace) {
                          std::optional<StridedView> value;
                          if (outputs->value) value.emplace(outputs->value->view());
                          argmax(x, axes, {origin, steps}, outputs->index.view(), value, workspace);
                        }};
}

}  // namespace

KernelEntry sum_kernel() { return {"sum", prepare_reduction<Reduction::sum>}; }
KernelEntry prod_kernel() { return {"prod", prepare_reduction<Reduction::prod>}; }
KernelEntry max_kernel() { return {"max", prepare_reduction<Reduction::max>}; }
KernelEntry min_kernel() { return {"min", prepare_reduction<Reduction::min>}; }
KernelEntry mean_kernel() { return {"mean", prepare_reduction<Reduction::sum>}; }
KernelEntry any_kernel() { return {"any", prepare_reduction<Reduction::any>}; }
KernelEntry all_kernel() { return {"all", prepare_reduction<Reduction::all>}; }
KernelEntry logsumexp_kernel() { return {"logsumexp", prepare_reduction<Reduction::log_sum_exp>}; }
KernelEntry argmax_kernel() { return {"argmax", prepare_argmax}; }

}  // namespace einsummable::cpu
