// SPDX-License-Identifier: Apache-2.0
// matmul and einsum: sums of products of floats by the library, all else an element of the output
// by a group of threads.

#include "einsummable/executor/cuda/kernels/merge_text.h"
#include "einsummable/executor/cuda/kernels/product.h"
#include "einsummable/executor/cuda/kernels/rows.h"
#include "einsummable/ops/functions.h"

namespace einsummable::cuda {
namespace {

// What is computed of a point of the space of all indices, and how points are merged.
struct Contraction {
  FunctionId combine = FunctionId::multiply;
  Merge merge = Merge::sum;
  bool wraps = false;  // whether each combination is rounded to the inputs' dtype, if they are ints
};

// The indices of a cell: those of the output tell rows apart, the others run along them.
struct Points {
  Shape rows, along;
  std::vector<RowKernel::Walk> walks;  // of every input, then of the output

  explicit Points(const KernelCall& call) {
    const Signature signature = call.op.signatures()[0];
    std::vector<int64_t> extents(signature.indices.size(), 1);
    std::vector<std::vector<int64_t>> strides;
    const auto add = [&](const OperandMap& map, const Block& block) {
      std::vector<int64_t>& of = strides.emplace_back(extents.size(), 0);
      for (size_t i = 0; i < map.axes.size(); ++i) {
        if (map.axes[i].terms.empty()) continue;
        const auto index = static_cast<size_t>(map.axes[i].terms[0].index);
        extents[index] = block.shape[i];
        of[index] += block.strides[i];
      }
    };
    for (size_t i = 0; i < call.inputs.size(); ++i) add(signature.inputs[i], call.inputs[i]);
    add(signature.outputs[0], call.outputs[0]);
    std::vector<char> kept(extents.size(), 0);
    for (const AxisMap& axis : signature.outputs[0].axes) {
      if (!axis.terms.empty()) kept[static_cast<size_t>(axis.terms[0].index)] = 1;
    }
    for (size_t i = 0; i < strides.size(); ++i) {
      walks.push_back({i + 1 < strides.size() ? "a" + std::to_string(i) : "c", {}, {}});
    }
    for (size_t index = 0; index < extents.size(); ++index) {
      (kept[index] ? rows : along).push_back(extents[index]);
      for (size_t i = 0; i < strides.size(); ++i) {
        (kept[index] ? walks[i].rows : walks[i].along).push_back(strides[i][index]);
      }
    }
  }
};

// The value of one point: inputs combined, from the first to the last.
std::string point_text(const KernelCall& call, const Contraction& contraction, DType computed) {
  const std::string value = "Value<" + element_type(computed) + ">";
  std::string text;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const std::string n = std::to_string(i), type = element_type(call.inputs[i].dtype);
    const std::string x = value + "(load<" + type + ">(in" + n + ", a" + n + ").value)";
    if (i == 0) {
      text = value + " point = " + x + ";\n";
      continue;
    }
    std::string combined = "function_" + std::string(scalar_function(contraction.combine).name) +
                           "<" + value + ">(point, " + x + ", " + value + "(0), " + value + "(0))";
    if (contraction.wraps) combined = "rounded<" + type + ">(" + combined + ")";
    text += "point = " + combined + ";\n";
  }
  return text;
}

// An element of the output by a group of threads, along the indices that it lacks.
PreparedTask prepare_points(const KernelCall& call, const Contraction& contraction) {
  const Points points(call);
  if (elements(points.rows) == 0) return {};
  const RowKernel rows(points.rows, points.along, points.walks);
  const PartialType partial = call.op.partial(0);
  const DType out = call.outputs[0].dtype;
  DType computed = accumulation(call.inputs[0].dtype);
  if (out == DType::f64 && is_float(computed)) computed = DType::f64;
  const std::string value = "Value<" + element_type(computed) + ">";
  std::string body =
      value + " total = " + neutral_text(partial, 0, computed) + ";\n{\nconst auto combine = [](" +
      value + " a, " + value + " b) -> " + value + " { return " + merge_text(contraction.merge) +
      "; };\n" +
      rows.each(point_text(call, contraction, computed) + "total = combine(total, point);\n") +
      "total = " + rows.combined("total", "combine") + ";\n}\n" +
      RowKernel::once("store<" + element_type(out) + ">(out0, c_row, Cast<" + element_type(out) +
                      ">::from(total));\n");
  return {.nodes = {rows.kernel(call.inputs, call.outputs, body)}};
}

std::optional<PreparedTask> prepare_matmul(const KernelCall& call, const KernelOptions& options) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  if (auto product = prepare_product(call, {}, options)) return product;
  return prepare_points(call, {.merge = call.op.partial(0).merge});
}

FunctionId combine_of(const Operator& einsum) {
  return find_function(einsum.attributes().string("combine")).value();
}

std::optional<PreparedTask> prepare_einsum_with(const KernelCall& call, const Epilogue& epilogue,
                                                const KernelOptions& options) {
  const bool product = combine_of(call.op) == FunctionId::multiply;
  if (!product || call.op.partial(0).merge != Merge::sum) return std::nullopt;
  return prepare_product(call, epilogue, options);
}

std::optional<PreparedTask> prepare_einsum(const KernelCall& call, const KernelOptions& options) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  if (auto product = prepare_einsum_with(call, {}, options)) return product;
  return prepare_points(
      call, {combine_of(call.op), call.op.partial(0).merge, !is_float(call.inputs[0].dtype)});
}

}  // namespace

KernelEntry einsum_kernel() { return {"einsum", prepare_einsum, prepare_einsum_with}; }
KernelEntry matmul_kernel() { return {"matmul", prepare_matmul, prepare_product}; }

}  // namespace einsummable::cuda
