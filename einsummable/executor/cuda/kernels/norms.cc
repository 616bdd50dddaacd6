// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, layer_norm, rms_norm: a row by a group of threads, which keep it in
// registers if it is not too long and read it again else.

#include <limits>

#include "einsummable/executor/cuda/kernels/lines.h"

namespace einsummable::cuda {
namespace {

// A row kernel from input 0 to output 0, and what its text is made of.
struct Norm {
  const KernelCall& call;
  DType dtype;
  std::string type;  // of values
  RowKernel rows;
  std::string body;

  Norm(const KernelCall& of, size_t axis)
      : call(of),
        dtype(of.inputs[0].dtype),
        type("Value<" + element_type(dtype) + ">"),
        rows(rows_of(of, axis)) {
    body = rows.keep(dtype, "load<" + element_type(dtype) + ">(in0, a)");
  }

  static RowKernel rows_of(const KernelCall& of, size_t axis) {
    const Lines lines(of.inputs[0].shape, axis);
    std::vector<RowKernel::Walk> walks = {lines.walk("a", of.inputs[0]),
                                          lines.walk("c", of.outputs[0])};
    // Weights and biases run along rows.
    for (size_t i = 1; i < of.inputs.size(); ++i) {
      walks.push_back({"w" + std::to_string(i), std::vector<int64_t>(lines.rows.size(), 0),
                       of.inputs[i].strides});
    }
    return {lines.rows, lines.along, walks};
  }

  // Declares `name` as the values that `element` gives of each x, combined over the row.
  void reduce(const std::string& name, const std::string& first, const std::string& element,
              const std::string& combine) {
    const std::string lambda =
        "[](" + type + " a, " + type + " b) -> " + type + " { return " + combine + "; }";
    body += type + " " + name + " = " + first + ";\n{\nconst auto combine = " + lambda + ";\n" +
            rows.each_kept(name + " = combine(" + name + ", " + element + ");\n") + name + " = " +
            rows.combined(name, "combine") + ";\n}\n";
  }

  std::string weight(size_t input) const {
    const std::string number = std::to_string(input);
    return "load<" + element_type(call.inputs[input].dtype) + ">(in" + number + ", w" + number +
           ")";
  }

  PreparedTask stored(const std::string& element) {
    body += rows.each_kept("store<" + element_type(call.outputs[0].dtype) + ">(out0, c, " +
                           element + ");\n");
    return {.nodes = {rows.kernel(call.inputs, call.outputs, body)}};
  }
};

std::optional<PreparedTask> prepare_softmax(const KernelCall& call, bool logarithm) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  const auto rank = static_cast<int64_t>(call.inputs[0].shape.size());
  Norm norm(call, static_cast<size_t>(normalise_axis(call.op.attributes().integer("axis"), rank)));
  norm.reduce("most", constant(norm.dtype, -std::numeric_limits<double>::infinity()), "x",
              "maximum(a, b)");
  norm.reduce("sum", norm.type + "(0)", "exp(x - most)", "a + b");
  if (logarithm) {
    norm.body += "const " + norm.type + " logarithm = log(sum);\n";
    return norm.stored("x - most - logarithm");
  }
  return norm.stored("exp(x - most) / sum");
}

std::optional<PreparedTask> prepare_layer_norm(const KernelCall& call, const KernelOptions&) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  Norm norm(call, call.inputs[0].shape.size() - 1);
  const std::string n = constant(norm.dtype, static_cast<double>(norm.rows.length()));
  norm.reduce("sum", norm.type + "(0)", "x", "a + b");
  norm.body += "const " + norm.type + " mean = sum / " + n + ";\n";
  // The value combined is the square of what x is off by, as `combine` sees no mean.
  norm.reduce("squares", norm.type + "(0)", "(x - mean) * (x - mean)", "a + b");
  norm.body += "const " + norm.type + " scale = " + norm.type + "(1) / sqrt(squares / " + n +
               " + " + constant(norm.dtype, call.op.attributes().real("eps")) + ");\n";
  return norm.stored("(x - mean) * scale * " + norm.weight(1) + " + " + norm.weight(2));
}

std::optional<PreparedTask> prepare_rms_norm(const KernelCall& call, const KernelOptions&) {
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  Norm norm(call, call.inputs[0].shape.size() - 1);
  norm.reduce("squares", norm.type + "(0)", "x * x", "a + b");
  norm.body += "const " + norm.type + " scale = " + norm.type + "(1) / sqrt(squares / " +
               constant(norm.dtype, static_cast<double>(norm.rows.length())) + " + " +
               constant(norm.dtype, call.op.attributes().real("eps")) + ");\n";
  return norm.stored("x * (scale * " + norm.weight(1) + ")");
}

}  // namespace

KernelEntry layer_norm_kernel() { return {"layer_norm", prepare_layer_norm}; }
KernelEntry log_softmax_kernel() {
  return {"log_softmax",
          [](const KernelCall& call, const KernelOptions&) { return prepare_softmax(call, true); }};
}
KernelEntry rms_norm_kernel() { return {"rms_norm", prepare_rms_norm}; }
KernelEntry softmax_kernel() {
  return {"softmax", [](const KernelCall& call, const KernelOptions&) {
            return prepare_softmax(call, false);
          }};
}

}  // namespace einsummable::cuda
