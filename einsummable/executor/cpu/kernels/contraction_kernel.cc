// SPDX-License-Identifier: Apache-2.0
// The fast kernel of sums of products of two operands: matmul, and einsum where it is one.

#include <algorithm>
#include <array>

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/contraction.h"

namespace einsummable::cpu {
namespace {

// An operand without the axes that no index runs along (they hold one element), and the index of
// each that is left.
struct Labelled {
  std::vector<size_t> axes;  // of the operand, those that are left
  std::vector<int32_t> labels;
  Shape shape;
  std::vector<int64_t> strides;
  StridedView view;

  Labelled(const OperandMap& map, const StridedView& from) {
    for (size_t i = 0; i < map.axes.size(); ++i) {
      if (map.axes[i].terms.empty()) continue;
      axes.push_back(i);
      labels.push_back(map.axes[i].terms[0].index);
      shape.push_back(from.shape[i]);
      strides.push_back(from.strides[i]);
    }
    view = {from.data, from.dtype, shape, strides};
  }
  // The same block elsewhere.
  void move(std::byte* data, std::span<const int64_t> to) {
    view.data = data;
    for (size_t i = 0; i < axes.size(); ++i) strides[i] = to[axes[i]];
  }
  Labelled(const Labelled&) = delete;
  Labelled& operator=(const Labelled&) = delete;
};

struct ContractionRun {
  Labelled a, b, c;

  explicit ContractionRun(const Signature& signature, const KernelCall& call)
      : a(signature.inputs[0], call.inputs[0]),
        b(signature.inputs[1], call.inputs[1]),
        c(signature.outputs[0], call.outputs[0]) {}
  ContractionLabels labels() const { return {a.labels, b.labels, c.labels}; }
  int64_t workspace_bytes() const {
    return contraction_workspace_bytes(labels(), a.view, b.view, c.view);
  }

  bool move(size_t input, std::byte* data, std::span<const int64_t> to, int64_t workspace) {
    Labelled& operand = input == 0 ? a : b;
    std::byte* const before = operand.view.data;
    std::array<int64_t, kMaxAxes> kept;
    if (operand.strides.size() > kept.size()) return false;
    std::ranges::copy(operand.strides, kept.begin());
    operand.move(data, to);
    if (workspace_bytes() <= workspace) return true;
    operand.view.data = before;
    std::copy_n(kept.begin(), operand.strides.size(), operand.strides.begin());
    return false;
  }
};

// A label of the output that neither input has, or an axis of several indices, is not for
// `contract`.
bool is_contraction(const Signature& signature) {
  std::vector<char> read(signature.indices.size(), 0);
  for (const OperandMap& input : signature.inputs) {
    for (const AxisMap& axis : input.axes) {
      if (axis.terms.size() > 1) return false;
      if (!axis.terms.empty()) read[static_cast<size_t>(axis.terms[0].index)] = 1;
    }
  }
  return std::ranges::all_of(signature.outputs[0].axes, [&](const AxisMap& axis) {
    return axis.terms.empty() ||
           (axis.terms.size() == 1 && read[static_cast<size_t>(axis.terms[0].index)]);
  });
}

std::optional<PreparedKernel> prepare(const KernelCall& call) {
  if (call.inputs.size() != 2) return std::nullopt;
  const Signature signature = call.op.signatures()[0];
  if (!is_contraction(signature)) return std::nullopt;
  auto run = std::make_shared<ContractionRun>(signature, call);
  const int64_t workspace = run->workspace_bytes();
  return PreparedKernel{
      .kind = PreparedKernel::Kind::fast,
      .workspace = workspace,
      .run =
          [run](std::span<std::byte> scratch) {
            contract(run->labels(), run->a.view, run->b.view, run->c.view, Accumulate::overwrite,
                     scratch);
          },
      .move_input =
          [run, workspace](size_t input, std::byte* data, std::span<const int64_t> strides) {
            return run->move(input, data, strides, workspace);
          }};
}

std::optional<PreparedKernel> prepare_einsum(const KernelCall& call) {
  const Attributes& attributes = call.op.attributes();
  const std::string& combine = attributes.string("combine");
  const bool products = combine == "multiply" || combine == "mul";
  if (!products || attributes.string("aggregate") != "sum") return std::nullopt;
  return prepare(call);
}

}  // namespace

KernelEntry matmul_kernel() { return {"matmul", prepare}; }
KernelEntry einsum_kernel() { return {"einsum", prepare_einsum}; }

}  // namespace einsummable::cpu
