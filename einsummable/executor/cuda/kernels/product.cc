// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/product.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/executor/cuda/kernels/product_plan.h"
#include "einsummable/executor/cuda/text.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

// The dtype of an output that the library writes for operands of `operands`.
bool writes(DType operands, DType output) {
  return output == operands || (output == DType::f32 && operands != DType::f64);
}

// Nodes that fill the output with what merging nothing gives: 0.
PreparedTask zeros(const KernelCall& call) {
  const Block& out = call.outputs[0];
  return {.nodes = {loop_kernel({}, {&out, 1}, elements(out.shape),
                                position(out.shape, "i", "x") + "store<" + element_type(out.dtype) +
                                    ">(out0, " + place(out.strides, "x") + ", " +
                                    constant(out.dtype, 0) + ");\n")}};
}

// Copies between an operand where it lies and its dense copy in the workspace, whose dtype may be
// another.
GeneratedKernel copy_kernel(const ProductAxes& axes, ProductOperand operand, DType from, DType to,
                            Argument read, Argument write) {
  Shape shape;
  std::vector<int64_t> strides;
  for (const ProductAxis& axis : axes) {
    shape.push_back(axis.extent);
    strides.push_back(axis.strides[operand]);
  }
  const bool gathers = operand != kC;
  std::vector<int64_t> dense = row_major_strides(shape);
  const Axes walked =
      collapse(shape, gathers ? std::vector{strides, dense} : std::vector{dense, strides});
  const std::string names[] = {"a", "c"};
  const Block in{.dtype = from, .shape = {}, .strides = {}},
      out{.dtype = to, .shape = {}, .strides = {}};
  GeneratedKernel kernel =
      loop_kernel({&in, 1}, {&out, 1}, walked.elements(),
                  offsets(walked, "i", names) + "store<" + element_type(to) + ">(out0, c, Cast<" +
                      element_type(to) + ">::from(load<" + element_type(from) + ">(in0, a)));\n");
  kernel.arguments = {read, write};
  return kernel;
}

// A plan as nodes: copies in, products, a copy out.
class ProductNodes {
 public:
  ProductNodes(const KernelCall& call, ProductPlan plan, const Epilogue& epilogue,
               const KernelOptions& options)
      : call_(call), plan_(std::move(plan)), epilogue_(epilogue), options_(options) {}

  PreparedTask prepare() {
    DType c = call_.outputs[0].dtype;
    const DType operands = call_.inputs[0].dtype;
    if (!writes(operands, c)) c = accumulation(operands);
    task_.workspace = options_.product_workspace;
    const Argument a = operand(kA, operands, {.of = Argument::Of::read, .index = 0});
    const Argument b = operand(kB, operands, {.of = Argument::Of::read, .index = 1});
    const Argument out = operand(kC, c, {.of = Argument::Of::write, .index = 0});
    multiply({a, b, out}, operands, c);
    if (plan_.copied[kC]) {
      task_.nodes.push_back(copy_kernel(axes_of(plan_.roles, kC), kC, c, call_.outputs[0].dtype,
                                        out, {.of = Argument::Of::write}));
    }
    return std::move(task_);
  }

 private:
  // Where the products find an operand: in place, or in a copy.
  Argument operand(ProductOperand which, DType dtype, Argument in_place) {
    if (!plan_.copied[which]) return in_place;
    const ProductAxes axes = axes_of(plan_.roles, which);
    int64_t bytes = size_of(dtype);
    for (const ProductAxis& axis : axes) bytes = checked_multiply(bytes, axis.extent);
    const Argument copy{.of = Argument::Of::workspace, .bytes = task_.workspace};
    task_.workspace = checked_add(task_.workspace, round_up(bytes, kWorkspaceUnit));
    if (which != kC) task_.nodes.push_back(copy_kernel(axes, which, dtype, dtype, in_place, copy));
    return copy;
  }

  void multiply(const std::array<Argument, 3>& operands, DType dtype, DType c) {
    Shape steps;
    for (const ProductAxis& axis : plan_.loops) steps.push_back(axis.extent);
    for_each_position(box_of(steps), [&](std::span<const int64_t> at) {
      ProductCall product;
      Product& one = product.product;
      one.m = plan_.m;
      one.n = plan_.n;
      one.k = plan_.k;
      one.batch = plan_.batch;
      one.a = matrix(kA, dtype);
      one.b = matrix(kB, dtype);
      one.c = matrix(kC, c);
      one.tf32 = options_.tf32;
      one.workspace_bytes = static_cast<uint64_t>(options_.product_workspace);
      product.a = moved(operands[kA], kA, dtype, at);
      product.b = moved(operands[kB], kB, dtype, at);
      product.c = moved(operands[kC], kC, c, at);
      product.workspace = {.of = Argument::Of::workspace};
      one.activation = epilogue_.activation;
      if (const auto& residual = epilogue_.residual) {
        product.residual = moved({.of = Argument::Of::read, .index = residual->read}, kC, c, at);
      }
      if (const auto& bias = epilogue_.bias) product.bias = {.index = bias->read};
      task_.nodes.emplace_back(product);
    });
  }

  Matrix matrix(ProductOperand which, DType dtype) const {
    const auto [rows, columns, batch] = plan_.strides[which];
    return {.address = 0,
            .element = static_cast<Element>(dtype),
            .row_stride = rows,
            .column_stride = columns,
            .batch_stride = batch};
  }

  Argument moved(Argument argument, ProductOperand which, DType dtype,
                 std::span<const int64_t> step) const {
    for (size_t i = 0; i < step.size(); ++i) {
      argument.bytes += step[i] * plan_.loops[i].strides[which] * size_of(dtype);
    }
    return argument;
  }

  const KernelCall& call_;
  ProductPlan plan_;
  const Epilogue& epilogue_;
  const KernelOptions& options_;
  PreparedTask task_;
};

// Whether the library writes an output as it lies, and its blocks of an epilogue lie as it wants:
// a residual as the output does, a bias along the side of it that is dense.
bool fits(const ProductPlan& plan, const Epilogue& epilogue, const Block& output) {
  if (epilogue.empty()) return true;
  if (plan.copied[kC] || plan.k == 0 || elements(output.shape) == 0) return false;
  if (const auto& residual = epilogue.residual) {
    for (size_t i = 0; i < output.shape.size(); ++i) {
      if (output.shape[i] > 1 && residual->block.strides[i] != output.strides[i]) return false;
    }
  }
  if (!epilogue.bias) return true;
  const Block& bias = epilogue.bias->block;
  const auto strides = broadcast_strides(bias.shape, bias.strides, output.shape);
  const auto stride_of = [&](const ProductAxis& axis) {
    return strides[static_cast<size_t>(axis.of_c)];
  };
  const bool by_rows = plan.strides[kC][1] == 1;
  const ProductAxes& along = by_rows ? plan.roles.columns : plan.roles.rows;
  const ProductAxes& across = by_rows ? plan.roles.rows : plan.roles.columns;
  int64_t dense = 1;
  for (size_t i = along.size(); i-- > 0; dense = checked_multiply(dense, along[i].extent)) {
    if (stride_of(along[i]) != dense) return false;
  }
  const auto same = [&](const ProductAxis& axis) { return stride_of(axis) == 0; };
  return std::ranges::all_of(across, same) && std::ranges::all_of(plan.roles.batch, same);
}

}  // namespace

std::optional<PreparedTask> prepare_product(const KernelCall& call, const Epilogue& epilogue,
                                            const KernelOptions& options) {
  if (call.inputs.size() != 2) return std::nullopt;
  const DType dtype = call.inputs[0].dtype, out = call.outputs[0].dtype;
  const bool floats = is_float(dtype) && is_float(out) && call.inputs[1].dtype == dtype;
  if (dtype == DType::bf16 && !options.bfloat16_products) return std::nullopt;
  if (!floats || (out == DType::f64 && dtype != DType::f64)) return std::nullopt;
  const auto roles = roles_of(call.op.signatures()[0], call.inputs, call.outputs[0]);
  if (!roles) return std::nullopt;
  ProductPlan plan = plan_product(*roles, writes(dtype, out) ? Output::in_place : Output::copied);
  if (!fits(plan, epilogue, call.outputs[0])) return std::nullopt;
  if (plan.k == 0) return zeros(call);
  return ProductNodes(call, std::move(plan), epilogue, options).prepare();
}

}  // namespace einsummable::cuda
