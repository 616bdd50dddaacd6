// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, rms_norm and layer_norm.

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/norm.h"
#include "einsummable/executor/cpu/kernels/softmax.h"

namespace einsummable::cpu {
namespace {

template <SoftmaxKind kind>
std::optional<PreparedKernel> prepare_softmax(const KernelCall& call) {
  const StridedView x = call.inputs[0], y = call.outputs[0];
  const int64_t axis = normalise_axis(call.op.attributes().integer("axis"), x.rank());
  return PreparedKernel{.kind = PreparedKernel::Kind::fast,
                        .workspace = softmax_workspace_bytes(x, axis, y),
                        .run = [x, axis, y](std::span<std::byte> workspace) {
                          softmax(kind, x, axis, y, workspace);
                        }};
}

template <NormKind kind>
std::optional<PreparedKernel> prepare_norm(const KernelCall& call) {
  NormBlocks blocks{call.inputs[0], call.inputs[1], {}, call.outputs[0]};
  if (kind == NormKind::layer) blocks.bias.emplace(call.inputs[2]);
  const double eps = call.op.attributes().real("eps");
  return PreparedKernel{
      .kind = PreparedKernel::Kind::fast,
      .workspace = norm_workspace_bytes(blocks),
      .run = [blocks, eps](std::span<std::byte> workspace) { norm(kind, eps, blocks, workspace); }};
}

}  // namespace

KernelEntry softmax_kernel() { return {"softmax", prepare_softmax<SoftmaxKind::softmax>}; }
KernelEntry log_softmax_kernel() {
  return {"log_softmax", prepare_softmax<SoftmaxKind::log_softmax>};
}
KernelEntry rms_norm_kernel() { return {"rms_norm", prepare_norm<NormKind::rms>}; }
KernelEntry layer_norm_kernel() { return {"layer_norm", prepare_norm<NormKind::layer>}; }

}  // namespace einsummable::cpu
