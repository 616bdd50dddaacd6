// SPDX-License-Identifier: Apache-2.0
// Operators along one axis that are no reduction: cumsum, segment_mean, top_k.

#include "einsummable/executor/cuda/kernels/lines.h"

#include "einsummable/base/text.h"

namespace einsummable::cuda {
namespace {

size_t axis_of(const KernelCall& call) {
  const auto rank = static_cast<int64_t>(call.inputs[0].shape.size());
  return static_cast<size_t>(normalise_axis(call.op.attributes().integer("axis"), rank));
}

// Every thread of a row sums a stretch of it; then each knows what the stretches before its own
// come to, and writes.
std::optional<PreparedTask> prepare_cumsum(const KernelCall& call, const KernelOptions&) {
  const Block &in = call.inputs[0], &out = call.outputs[0];
  if (elements(out.shape) == 0) return PreparedTask{};
  const size_t axis = axis_of(call);
  const Lines lines(out.shape, axis);
  const RowKernel rows(lines.rows, lines.along, {lines.walk("a", in), lines.walk("c", out)});
  const std::string stretch = std::to_string((rows.length() + rows.group() - 1) / rows.group());
  const std::string length = std::to_string(rows.length());
  const std::string type = "Value<" + element_type(accumulation(out.dtype)) + ">";
  const std::string load = "load<" + element_type(in.dtype) + ">(in0, a_row + r * " +
                           std::to_string(in.strides[axis]) + ")";
  std::string body = "const long long begin = live ? lane * " + stretch + "LL : " + length +
                     "LL;\nconst long long end = begin + " + stretch + " < " + length +
                     " ? begin + " + stretch + " : " + length + ";\n" + type + " sum = 0;\n";
  if (rows.group() > 1) {
    body += "for (long long r = begin; r < end; ++r) sum = sum + " + load + ";\nES_SHARED(" + type +
            ", sums, " + std::to_string(RowKernel::kThreads) +
            ");\nsums[thread_index()] = sum;\nbarrier();\nsum = 0;\n"
            "for (int back = lane; back > 0; --back) sum = sum + sums[thread_index() - back * " +
            std::to_string(rows.apart()) + "];\nbarrier();\n";
  }
  body += "for (long long r = begin; r < end; ++r) {\nsum = sum + " + load + ";\nstore<" +
          element_type(out.dtype) + ">(out0, c_row + r * " + std::to_string(out.strides[axis]) +
          ", sum);\n}\n";
  return PreparedTask{.nodes = {rows.kernel(call.inputs, call.outputs, body)}};
}

std::optional<PreparedTask> prepare_segment_mean(const KernelCall& call, const KernelOptions&) {
  const Block &in = call.inputs[0], &out = call.outputs[0];
  if (elements(out.shape) == 0) return PreparedTask{};
  const size_t axis = axis_of(call);
  const auto& ends = call.op.attributes().integers("ends");
  const std::string at = "x" + std::to_string(axis), stride = std::to_string(in.strides[axis]);
  // Where the cell's segments begin in its block of the input, and where the last one ends.
  const Interval segments = call.cell.outputs[0][axis];
  std::vector<std::string> borders;
  for (int64_t segment = segments.lo; segment <= segments.hi; ++segment) {
    const int64_t border = segment == 0 ? 0 : ends[static_cast<size_t>(segment - 1)];
    borders.push_back(std::to_string(border - call.cell.inputs[0][axis].lo));
  }
  std::vector<int64_t> others = in.strides;
  others[axis] = 0;
  const std::string type = "Value<" + element_type(in.dtype) + ">";
  const std::string body = position(out.shape, "i", "x") + "ES_TABLE(long long, borders) = {" +
                           join(borders, ", ") + "};\nconst long long first = borders[" + at +
                           "], last = borders[" + at + " + 1];\n" + type +
                           " sum = 0;\nfor (long long r = first; r < last; ++r) sum = sum + load<" +
                           element_type(in.dtype) + ">(in0, " + place(others, "x") + " + r * " +
                           stride + ");\nstore<" + element_type(out.dtype) + ">(out0, " +
                           place(out.strides, "x") + ", sum / " + type + "(last - first));\n";
  return PreparedTask{.nodes = {loop_kernel(call.inputs, call.outputs, elements(out.shape), body)}};
}

// The largest element, then of the others the largest, and so on: k passes over a row.
std::optional<PreparedTask> prepare_top_k(const KernelCall& call, const KernelOptions&) {
  const Block& in = call.inputs[0];
  const size_t axis = axis_of(call);
  const int64_t k = call.outputs[0].shape[axis];
  const Lines lines(in.shape, axis);
  if (elements(call.outputs[0].shape) == 0) return PreparedTask{};
  RowKernel::Walk values = lines.walk("c", call.outputs[0]);
  RowKernel::Walk positions = lines.walk("d", call.outputs[1]);
  values.along = positions.along = {0};
  const RowKernel rows(lines.rows, lines.along, {lines.walk("a", in), values, positions});
  const std::string type = element_type(in.dtype);
  // A position of -1 is of none. `comes` says whether a comes before b: NaN is the largest, and of
  // equals the one with the lower position comes first.
  std::string body = "struct Best {\nlong long position;\nValue<" + type +
                     "> value;\n};\n"
                     "const auto comes = [](Best a, Best b) -> bool {\n"
                     "if (a.position < 0 || b.position < 0) return a.position >= 0;\n"
                     "const bool a_nan = a.value != a.value, b_nan = b.value != b.value;\n"
                     "if (a_nan != b_nan) return a_nan;\n"
                     "if (!a_nan && a.value != b.value) return a.value > b.value;\n"
                     "return a.position < b.position;\n};\n"
                     "const auto combine = [&](Best a, Best b) -> Best {\n"
                     "return comes(b, a) ? b : a;\n};\nBest taken{-1, 0};\n";
  body += "for (long long rank = 0; rank < " + std::to_string(k) +
          "; ++rank) {\nBest best{-1, 0};\n" +
          rows.each("const Best candidate{r, load<" + type +
                    ">(in0, a)};\nif (rank == 0 || comes(taken, candidate)) best = combine(best, "
                    "candidate);\n") +
          "best = taken = " + rows.combined("best", "combine") + ";\n" +
          RowKernel::once("store<" + type + ">(out0, c_row + rank * " +
                          std::to_string(call.outputs[0].strides[axis]) + ", best.value);\nstore<" +
                          element_type(call.outputs[1].dtype) + ">(out1, d_row + rank * " +
                          std::to_string(call.outputs[1].strides[axis]) +
                          ", Integer(best.position));\n") +
          "}\n";
  return PreparedTask{.nodes = {rows.kernel(call.inputs, call.outputs, body)}};
}

}  // namespace

Lines::Lines(const Shape& shape, size_t along_axis) : rows(shape), axis(along_axis) {
  along = {shape[axis]};
  rows.erase(rows.begin() + static_cast<int64_t>(axis));
}

RowKernel::Walk Lines::walk(const std::string& name, const Block& block) const {
  std::vector<int64_t> strides = block.strides;
  strides.erase(strides.begin() + static_cast<int64_t>(axis));
  return {name, std::move(strides), {block.strides[axis]}};
}

KernelEntry cumsum_kernel() { return {"cumsum", prepare_cumsum}; }
KernelEntry segment_mean_kernel() { return {"segment_mean", prepare_segment_mean}; }
KernelEntry top_k_kernel() { return {"top_k", prepare_top_k}; }

}  // namespace einsummable::cuda
