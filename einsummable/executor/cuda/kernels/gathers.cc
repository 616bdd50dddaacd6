// SPDX-License-Identifier: Apache-2.0
// Operators whose reads depend on integers in memory: embedding, rope.

#include <cmath>

#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

// One block looks for the lowest position, in row-major order, of an id that is out of range.
GeneratedKernel check_ids(const Block& ids, int32_t read, int64_t rows) {
  constexpr int32_t kThreads = 256;
  const Axes axes = collapse(ids.shape, {ids.strides});
  const std::string names[] = {"a"}, type = element_type(ids.dtype);
  const std::string n = std::to_string(axes.elements());
  KernelSource source{
      .parameters = "ES_READ(" + type + ") in0, ES_FAULT fault", .body = {}, .threads = kThreads};
  source.body = "long long lowest = " + n + ";\nfor (long long i = thread_index(); i < " + n +
                " && lowest == " + n + "; i += " + std::to_string(kThreads) + ") {\n" +
                offsets(axes, "i", names) + "const long long id = load<" + type +
                ">(in0, a).value;\nif (id < 0 || id >= " + std::to_string(rows) +
                ") lowest = i;\n}\nlowest = combine_block<" + std::to_string(kThreads) + ", " +
                std::to_string(kThreads) +
                ", 1>(lowest, [](long long a, long long b) -> long long { return a < b ? a : b; "
                "});\nif (thread_index() == 0 && lowest < " +
                n + ") {\nconst long long i = lowest;\n" + offsets(axes, "i", names) +
                "ES_SET_FAULT(fault, i, load<" + type + ">(in0, a).value);\n}\n";
  return {std::move(source),
          1,
          {{.of = Argument::Of::read, .index = read}, {.of = Argument::Of::fault}}};
}

// Rows of a table by their ids; zeros where the row is another cell's.
std::optional<PreparedTask> prepare_embedding(const KernelCall& call, const KernelOptions&) {
  const Block &table = call.inputs[0], &ids = call.inputs[1], &out = call.outputs[0];
  PreparedTask task;
  if (elements(ids.shape) > 0) {
    const int64_t rows = call.op.inputs()[0].extent(0);
    task.nodes.push_back(check_ids(ids, 1, rows));
    task.ids = {.read = 1, .rows = rows};
  }
  if (elements(out.shape) == 0) return task;
  const Interval here = call.cell.inputs[0][0];
  std::vector<int64_t> of_ids(out.shape.size(), 0), of_table(out.shape.size(), 0);
  std::ranges::copy(ids.strides, of_ids.begin());
  std::copy(table.strides.begin() + 1, table.strides.end(),
            of_table.begin() + static_cast<int64_t>(ids.shape.size()));
  const Axes axes = collapse(out.shape, {of_ids, of_table, out.strides});
  const std::string names[] = {"of", "a", "c"};
  const std::string type = element_type(out.dtype), from = element_type(table.dtype);
  const std::string row = std::to_string(table.strides[0]);
  const std::string body =
      offsets(axes, "i", names) + "const long long id = load<" + element_type(ids.dtype) +
      ">(in1, of).value - " + std::to_string(here.lo) + ";\nconst bool mine = 0 <= id && id < " +
      std::to_string(here.length()) + ";\nstore<" + type + ">(out0, c, mine ? load<" + from +
      ">(in0, a + id * " + row + ") : Value<" + from + ">(0));\n";
  task.nodes.push_back(loop_kernel(call.inputs, call.outputs, axes.elements(), body));
  return task;
}

// A pair a thread. Angles are in double precision, as positions are large numbers.
std::optional<PreparedTask> prepare_rope(const KernelCall& call, const KernelOptions&) {
  const Block &x = call.inputs[0], &positions = call.inputs[1], &y = call.outputs[0];
  if (elements(y.shape) == 0) return PreparedTask{};
  const int64_t d = x.shape.back(), pairs = d / 2;
  const bool interleaved = call.op.attributes().boolean("interleaved");
  const auto step = [&](const Block& block) {
    return block.strides.back() * (interleaved ? 2 : 1);
  };
  const auto other = [&](const Block& block) {
    return std::to_string(block.strides.back() * (interleaved ? 1 : pairs)) + "LL";
  };
  Shape shape = x.shape;
  shape.back() = pairs;
  std::vector<int64_t> from = x.strides, to = y.strides, of(shape.size(), 0), pair(shape.size(), 0);
  from.back() = step(x);
  to.back() = step(y);
  of[shape.size() - 2] = positions.strides[0];
  pair.back() = 1;
  const Axes axes = collapse(shape, {from, to, of, pair});
  const std::string names[] = {"a", "c", "of", "pair"}, type = element_type(x.dtype);
  const double step_log =
      -2 * std::log(call.op.attributes().real("theta")) / static_cast<double>(d);
  const std::string value = "Value<" + type + ">", out = element_type(y.dtype);
  const std::string body =
      offsets(axes, "i", names) + "const Real<double> angle = Real<double>(load<" +
      element_type(positions.dtype) + ">(in1, of).value) * exp(Real<double>(pair) * " +
      constant(DType::f64, step_log) + ");\nconst " + value +
      " cosine = cos(angle).value, sine = sin(angle).value;\nconst " + value + " first = load<" +
      type + ">(in0, a), second = load<" + type + ">(in0, a + " + other(x) + ");\nstore<" + out +
      ">(out0, c, first * cosine - second * sine);\nstore<" + out + ">(out0, c + " + other(y) +
      ", second * cosine + first * sine);\n";
  return PreparedTask{.nodes = {loop_kernel(call.inputs, call.outputs, axes.elements(), body)}};
}

}  // namespace

KernelEntry embedding_kernel() { return {"embedding", prepare_embedding}; }
KernelEntry rope_kernel() { return {"rope", prepare_rope}; }

}  // namespace einsummable::cuda
