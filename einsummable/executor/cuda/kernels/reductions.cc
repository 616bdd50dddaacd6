// SPDX-License-Identifier: Apache-2.0
// sum, prod, max, min, mean, any, all, logsumexp: a row by a group of threads.

#include "einsummable/executor/cuda/kernels/merge_text.h"
#include "einsummable/executor/cuda/kernels/reduced.h"

namespace einsummable::cuda {
namespace {

// How a cell reduces: in which dtype, from what, to what.
struct Reduction {
  const KernelCall& call;
  PartialType partial;
  DType computed;  // of the values that are merged

  // A partial sum may travel in float64, and is then computed in it.
  explicit Reduction(const KernelCall& of)
      : call(of),
        partial(of.op.partial(0)),
        computed(of.outputs[0].dtype == DType::f64 ? DType::f64
                                                   : accumulation(partial.components[0].dtype)) {}

  std::string value_type() const { return "Value<" + element_type(computed) + ">"; }
  // An element of the input as the reduction takes it: any and all ask whether it is not zero.
  std::string loaded() const {
    const std::string x = "load<" + element_type(call.inputs[0].dtype) + ">(in0, a)";
    return "Cast<" +
           element_type(call.op.outputs()[0].dtype == DType::boolean ? DType::boolean : computed) +
           ">::from(" + x + ")";
  }
  // Stores the merged value, finished if the cell completes it.
  std::string stored(const std::string& value) const {
    std::string finished = value;
    if (call.complete[0] && partial.scale != 1) {
      finished = value + " * " + constant(computed, partial.scale);
    }
    return RowKernel::once("store<" + element_type(call.outputs[0].dtype) + ">(out0, c_row, " +
                           finished + ");\n");
  }
};

std::string lambda(const Reduction& reduction, const std::string& body) {
  const std::string type = reduction.value_type();
  return "[](" + type + " a, " + type + " b) -> " + type + " { return " + body + "; }";
}

// The value of the row under the name `total`.
std::string merged(const Reduction& reduction, const RowKernel& rows, const std::string& body,
                   const std::string& first, const std::string& element) {
  return reduction.value_type() + " total = " + first +
         ";\n{\nconst auto combine = " + lambda(reduction, body) + ";\n" +
         rows.each("total = combine(total, " + element + ");\n") +
         "total = " + rows.combined("total", "combine") + ";\n}\n";
}

// From the largest value, so that nothing overflows; an infinite or NaN one is the result.
std::string log_sum_exp(const Reduction& reduction, const RowKernel& rows) {
  const std::string type = reduction.value_type();
  return merged(reduction, rows, "maximum(a, b)",
                neutral_text(reduction.partial, 0, reduction.computed), reduction.loaded()) +
         "const " + type + " most = total;\n" + type + " sum = 0;\n" +
         rows.each("sum = sum + exp(" + reduction.loaded() + " - most);\n") +
         "sum = " + rows.combined("sum", lambda(reduction, "a + b")) + ";\n" +
         reduction.stored("select(isfinite(most), most + log(sum), most)");
}

std::optional<PreparedTask> prepare(const KernelCall& call, const KernelOptions&) {
  const Reduction reduction(call);
  const ReducedRows reduced(call);
  if (elements(reduced.rows) == 0) return PreparedTask{};
  const RowKernel rows(reduced.rows, reduced.along,
                       {reduced.input("a", call.inputs[0].strides), reduced.output("c", 0)});
  const Merge merge = reduction.partial.merge;
  const std::string body =
      merge == Merge::log_sum_exp
          ? log_sum_exp(reduction, rows)
          : merged(reduction, rows, merge_text(merge),
                   neutral_text(reduction.partial, 0, reduction.computed), reduction.loaded()) +
                reduction.stored("total");
  return PreparedTask{.nodes = {rows.kernel(call.inputs, call.outputs, body)}};
}

// The position in the whole tensor, or along the axis, of the first of the largest elements, and
// its value.
std::optional<PreparedTask> prepare_argmax(const KernelCall& call, const KernelOptions&) {
  const ReducedRows reduced(call);
  if (elements(reduced.rows) == 0) return PreparedTask{};
  const Shape whole = call.op.inputs()[0].shape();
  std::vector<int64_t> places = row_major_strides(whole);
  if (call.op.attributes().has("axis")) {
    const auto axis = normalise_axes(call.op.attributes(), "axis", std::ssize(whole))[0];
    places.assign(whole.size(), 0);
    places[static_cast<size_t>(axis)] = 1;
  }
  int64_t first = 0;
  for (size_t i = 0; i < places.size(); ++i) first += call.cell.inputs[0][i].lo * places[i];
  std::vector<RowKernel::Walk> walks = {reduced.input("a", call.inputs[0].strides),
                                        reduced.input("p", places), reduced.output("c", 0)};
  if (!call.complete[0]) walks.push_back(reduced.output("d", 1));
  const RowKernel rows(reduced.rows, reduced.along, walks);
  const PartialType partial = call.op.partial(0);
  const std::string type = element_type(call.inputs[0].dtype);
  std::string body = "struct Best {\nlong long position;\nValue<" + type +
                     "> value;\n};\nBest best{" +
                     neutral_text(partial, 0, partial.components[0].dtype) + ".value, " +
                     neutral_text(partial, 1, partial.components[1].dtype) +
                     "};\n"
                     "const auto combine = [](Best a, Best b) -> Best {\n"
                     "const bool a_nan = a.value != a.value, b_nan = b.value != b.value;\n"
                     "const bool tie = (a_nan && b_nan) || a.value == b.value;\n"
                     "if (tie) return a.position < b.position ? a : b;\n"
                     "return (b_nan || b.value > a.value) && !a_nan ? b : a;\n};\n";
  body += rows.each("best = combine(best, Best{p + " + std::to_string(first) + ", load<" + type +
                    ">(in0, a)});\n");
  body += "best = " + rows.combined("best", "combine") + ";\n";
  std::string stores = "store<long long>(out0, c_row, Integer(best.position));\n";
  if (!call.complete[0]) {
    stores += "store<" + element_type(call.outputs[1].dtype) + ">(out1, d_row, best.value);\n";
  }
  return PreparedTask{
      .nodes = {rows.kernel(call.inputs, call.outputs, body + RowKernel::once(stores))}};
}

}  // namespace

ReducedRows::ReducedRows(const KernelCall& call) : outputs(call.outputs.size()) {
  const Signature signature = call.op.signatures()[0];
  const auto& in = signature.inputs[0].axes;
  const auto& out = signature.outputs[0].axes;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto same = std::ranges::find_if(out, [&](const AxisMap& axis) {
      return !axis.terms.empty() && axis.terms[0].index == in[i].terms.at(0).index;
    });
    const int64_t extent = call.inputs[0].shape[i];
    if (same == out.end()) {
      along.push_back(extent);
      along_axes.push_back(i);
      continue;
    }
    rows.push_back(extent);
    row_axes.push_back(i);
    for (size_t o = 0; o < outputs.size(); ++o) {
      outputs[o].push_back(call.outputs[o].strides[static_cast<size_t>(same - out.begin())]);
    }
  }
}

RowKernel::Walk ReducedRows::input(const std::string& name,
                                   std::span<const int64_t> strides) const {
  RowKernel::Walk walk{.name = name, .rows = {}, .along = {}};
  for (size_t axis : row_axes) walk.rows.push_back(strides[axis]);
  for (size_t axis : along_axes) walk.along.push_back(strides[axis]);
  return walk;
}

RowKernel::Walk ReducedRows::output(const std::string& name, size_t output) const {
  return {name, outputs[output], std::vector<int64_t>(along.size(), 0)};
}

KernelEntry all_kernel() { return {"all", prepare}; }
KernelEntry any_kernel() { return {"any", prepare}; }
KernelEntry argmax_kernel() { return {"argmax", prepare_argmax}; }
KernelEntry logsumexp_kernel() { return {"logsumexp", prepare}; }
KernelEntry max_kernel() { return {"max", prepare}; }
KernelEntry mean_kernel() { return {"mean", prepare}; }
KernelEntry min_kernel() { return {"min", prepare}; }
KernelEntry prod_kernel() { return {"prod", prepare}; }
KernelEntry sum_kernel() { return {"sum", prepare}; }

}  // namespace einsummable::cuda
