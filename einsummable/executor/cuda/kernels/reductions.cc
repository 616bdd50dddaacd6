// SPDX-License-Identifier: Apache-2.0
// sum, prod, max, min, mean, any, all, logsumexp, argmax: a row by a group of threads; or, where
// rows are few or long, parts of rows into the workspace, and these by a second kernel.

#include "einsummable/base/checked.h"

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
  std::string input() const {
    const std::string x = "load<" + element_type(call.inputs[0].dtype) + ">(in0, a)";
    return "Cast<" +
           element_type(call.op.outputs()[0].dtype == DType::boolean ? DType::boolean : computed) +
           ">::from(" + x + ")";
  }
  // Stores the merged value, finished if the cell completes it.
  std::string output(const std::string& value) const {
    std::string finished = value;
    if (call.complete[0] && partial.scale != 1) {
      finished = value + " * " + constant(computed, partial.scale);
    }
    return RowKernel::once("store<" + element_type(call.outputs[0].dtype) + ">(out0, c_row, " +
                           finished + ");\n");
  }
  // What a part of a row comes to, in the workspace.
  std::string part() const { return "load<" + element_type(computed) + ">(in0, a)"; }
  std::string part_output(const std::string& value) const {
    return RowKernel::once("store<" + element_type(computed) + ">(out0, part_of_all, " + value +
                           ");\n");
  }
};

std::string lambda(const Reduction& reduction, const std::string& body) {
  const std::string type = reduction.value_type();
  return "[](" + type + " a, " + type + " b) -> " + type + " { return " + body + "; }";
}

// The value of the row under the name `total`.
std::string merged(const Reduction& reduction, const RowKernel& rows, const std::string& body,
                   const std::string& element) {
  const std::string first = neutral_text(reduction.partial, 0, reduction.computed);
  return reduction.value_type() + " total = " + first +
         ";\n{\nconst auto combine = " + lambda(reduction, body) + ";\n" +
         rows.each("total = combine(total, " + element + ");\n") +
         "total = " + rows.combined("total", "combine") + ";\n}\n";
}

// The same of log-sum-exp, from the largest value, so that nothing overflows; an infinite or NaN
// one is the result.
std::string log_sum_exp(const Reduction& reduction, const RowKernel& rows,
                        const std::string& element) {
  const std::string type = reduction.value_type();
  return merged(reduction, rows, "maximum(a, b)", element) + "const " + type + " most = total;\n" +
         type + " sum = 0;\n" + rows.each("sum = sum + exp(" + element + " - most);\n") +
         "sum = " + rows.combined("sum", lambda(reduction, "a + b")) +
         ";\ntotal = select(isfinite(most), most + log(sum), most);\n";
}

std::string total_text(const Reduction& reduction, const RowKernel& rows,
                       const std::string& element) {
  const Merge merge = reduction.partial.merge;
  if (merge == Merge::log_sum_exp) return log_sum_exp(reduction, rows, element);
  return merged(reduction, rows, merge_text(merge), element);
}

// A walk over the parts of rows as they lie in the workspace: those of one number side by side.
RowKernel::Walk over_parts(const std::string& name, const ReducedRows& reduced,
                           const RowKernel& rows) {
  return {name, row_major_strides(reduced.rows), {rows.rows()}};
}

// As many as the parts of all rows.
Block parts_block(DType dtype, const RowKernel& rows) {
  const Shape shape = {rows.parts(), rows.rows()};
  return {dtype, shape, row_major_strides(shape), kWorkspaceUnit};
}

int64_t parts_bytes(const Block& parts) {
  return round_up(checked_multiply(elements(parts.shape), size_of(parts.dtype)), kWorkspaceUnit);
}

std::optional<PreparedTask> prepare(const KernelCall& call, const KernelOptions&) {
  const Reduction reduction(call);
  const ReducedRows reduced(call);
  if (elements(reduced.rows) == 0) return PreparedTask{};
  const RowKernel rows(reduced.rows, reduced.along,
                       {reduced.input("a", call.inputs[0].strides), reduced.output("c", 0)},
                       RowKernel::Cuts::parts);
  const std::string total = total_text(reduction, rows, reduction.input());
  if (rows.parts() == 1) {
    return PreparedTask{
        .nodes = {rows.kernel(call.inputs, call.outputs, total + reduction.output("total"))}};
  }
  const Block parts = parts_block(reduction.computed, rows);
  GeneratedKernel first =
      rows.kernel(call.inputs, {&parts, 1}, total + reduction.part_output("total"));
  first.arguments[1] = {.of = Argument::Of::workspace};
  const RowKernel merge(reduced.rows, {rows.parts()},
                        {over_parts("a", reduced, rows), {"c", reduced.outputs[0], {0}}});
  GeneratedKernel second =
      merge.kernel({&parts, 1}, call.outputs,
                   total_text(reduction, merge, reduction.part()) + reduction.output("total"));
  second.arguments[0] = {.of = Argument::Of::workspace};
  return PreparedTask{.nodes = {first, second}, .workspace = parts_bytes(parts)};
}

// Of an argmax, the best of a row, from what `element` gives of each of its elements.
std::string best_text(const KernelCall& call, const RowKernel& rows, const std::string& element) {
  const PartialType partial = call.op.partial(0);
  const std::string type = element_type(call.inputs[0].dtype);
  return "struct Best {\nlong long position;\nValue<" + type + "> value;\n};\nBest best{" +
         neutral_text(partial, 0, partial.components[0].dtype) + ".value, " +
         neutral_text(partial, 1, partial.components[1].dtype) +
         "};\n"
         "const auto combine = [](Best a, Best b) -> Best {\n"
         "const bool a_nan = a.value != a.value, b_nan = b.value != b.value;\n"
         "const bool tie = (a_nan && b_nan) || a.value == b.value;\n"
         "if (tie) return a.position < b.position ? a : b;\n"
         "return (b_nan || b.value > a.value) && !a_nan ? b : a;\n};\n" +
         rows.each("best = combine(best, " + element + ");\n") +
         "best = " + rows.combined("best", "combine") + ";\n";
}

// Stores the best's position, and its value if there are two outputs.
std::string best_output(std::span<const Block> outputs, const std::string& position,
                        const std::string& value) {
  std::string stores = "store<long long>(out0, " + position + ", Integer(best.position));\n";
  if (outputs.size() > 1) {
    stores += "store<" + element_type(outputs[1].dtype) + ">(out1, " + value + ", best.value);\n";
  }
  return RowKernel::once(stores);
}

// For each axis of the input, what its positions count in an argmax's: along one axis, or in the
// whole tensor.
std::vector<int64_t> places_of(const Operator& op) {
  const Shape whole = op.inputs()[0].shape();
  if (!op.attributes().has("axis")) return row_major_strides(whole);
  std::vector<int64_t> places(whole.size(), 0);
  const auto axis = normalise_axes(op.attributes(), "axis", std::ssize(whole))[0];
  places[static_cast<size_t>(axis)] = 1;
  return places;
}

// The position of the first of the largest elements, and its value.
std::optional<PreparedTask> prepare_argmax(const KernelCall& call, const KernelOptions&) {
  const ReducedRows reduced(call);
  if (elements(reduced.rows) == 0) return PreparedTask{};
  const std::vector<int64_t> places = places_of(call.op);
  int64_t origin = 0;
  for (size_t i = 0; i < places.size(); ++i) origin += call.cell.inputs[0][i].lo * places[i];
  const RowKernel::Walk position = reduced.output("c", 0);
  const RowKernel::Walk value = reduced.output("d", call.complete[0] ? 0 : 1);
  const RowKernel rows(
      reduced.rows, reduced.along,
      {reduced.input("a", call.inputs[0].strides), reduced.input("p", places), position, value},
      RowKernel::Cuts::parts);
  const DType dtype = call.inputs[0].dtype;
  const std::string best = best_text(
      call, rows,
      "Best{p + " + std::to_string(origin) + ", load<" + element_type(dtype) + ">(in0, a)}");
  const std::string output = best_output(call.outputs, "c_row", "d_row");
  if (rows.parts() == 1) {
    return PreparedTask{.nodes = {rows.kernel(call.inputs, call.outputs, best + output)}};
  }
  const Block parts[] = {parts_block(DType::i64, rows), parts_block(dtype, rows)};
  const Argument positions{.of = Argument::Of::workspace};
  const Argument values{.of = Argument::Of::workspace, .bytes = parts_bytes(parts[0])};
  GeneratedKernel first =
      rows.kernel(call.inputs, parts, best + best_output(parts, "part_of_all", "part_of_all"));
  first.arguments = {first.arguments[0], positions, values};
  RowKernel::Walk all = over_parts("a", reduced, rows), c = position, d = value;
  c.along = d.along = {0};
  const RowKernel merge(reduced.rows, {rows.parts()}, {all, c, d});
  GeneratedKernel second = merge.kernel(
      parts, call.outputs,
      best_text(call, merge,
                "Best{load<long long>(in0, a).value, load<" + element_type(dtype) + ">(in1, a)}") +
          output);
  second.arguments[0] = positions;
  second.arguments[1] = values;
  return PreparedTask{.nodes = {first, second}, .workspace = values.bytes + parts_bytes(parts[1])};
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
