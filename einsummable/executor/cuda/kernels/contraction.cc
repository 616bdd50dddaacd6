// SPDX-License-Identifier: Apache-2.0
// matmul and einsum: sums of products of floats by the library, all else an element of the output
// by a group of threads.

#include "einsummable/base/checked.h"
#include "einsummable/executor/cuda/kernels/merge_text.h"
#include "einsummable/executor/cuda/kernels/product_plan.h"
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
  ProductNodes(const KernelCall& call, ProductPlan plan, const KernelOptions& options)
      : call_(call), plan_(std::move(plan)), options_(options) {}

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
  const KernelOptions& options_;
  PreparedTask task_;
};

std::optional<PreparedTask> prepare_product(const KernelCall& call, const KernelOptions& options) {
  const DType dtype = call.inputs[0].dtype, out = call.outputs[0].dtype;
  const bool floats =
      is_float(dtype) && is_float(out) && call.inputs.size() == 2 && call.inputs[1].dtype == dtype;
  if (!floats || (out == DType::f64 && dtype != DType::f64)) return std::nullopt;
  const auto roles = roles_of(call.op.signatures()[0], call.inputs, call.outputs[0]);
  if (!roles) return std::nullopt;
  ProductPlan plan = plan_product(*roles, writes(dtype, out) ? Output::in_place : Output::copied);
  if (plan.k == 0) return zeros(call);
  return ProductNodes(call, std::move(plan), options).prepare();
}

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
  if (auto product = prepare_product(call, options)) return product;
  return prepare_points(call, {.merge = call.op.partial(0).merge});
}

std::optional<PreparedTask> prepare_einsum(const KernelCall& call, const KernelOptions& options) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  const Attributes& attributes = call.op.attributes();
  const FunctionId combine = find_function(attributes.string("combine")).value();
  const Merge merge = call.op.partial(0).merge;
  if (combine == FunctionId::multiply && merge == Merge::sum) {
    if (auto product = prepare_product(call, options)) return product;
  }
  return prepare_points(call, {combine, merge, !is_float(call.inputs[0].dtype)});
}

}  // namespace

KernelEntry einsum_kernel() { return {"einsum", prepare_einsum}; }
KernelEntry matmul_kernel() { return {"matmul", prepare_matmul}; }

}  // namespace einsummable::cuda
