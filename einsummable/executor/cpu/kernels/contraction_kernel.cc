// SPDX-License-Identifier: Apache-2.0
// The fast kernel of sums of products of two operands: matmul, and einsum where it is one.

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/contraction.h"

namespace einsummable::cpu {
namespace {

// An operand without the axes that no index runs along (they hold one element), and the index of
// each that is left.
struct Labelled {
  std::vector<int32_t> labels;
  Shape shape;
  std::vector<int64_t> strides;
  StridedView view;

  Labelled(const OperandMap& map, const StridedView& from) {
    for (size_t i = 0; i < map.axes.size(); ++i) {
      if (map.axes[i].terms.empty()) continue;
      labels.push_back(map.axes[i].terms[0].index);
      shape.push_back(from.shape[i]);
      strides.push_back(from.strides[i]);
    }
    view = {from.data, from.dtype, shape, strides};
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
  auto run = std::make_shared<const ContractionRun>(signature, call);
  const int64_t workspace =
      contraction_workspace_bytes(run->labels(), run->a.view, run->b.view, run->c.view);
  return PreparedKernel{.kind = PreparedKernel::Kind::fast,
                        .workspace = workspace,
                        .run = [run = std::move(run)](std::span<std::byte> scratch) {
                          contract(run->labels(), run->a.view, run->b.view, run->c.view,
                                   Accumulate::overwrite, scratch);
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
