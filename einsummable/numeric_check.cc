// SPDX-License-Identifier: Apache-2.0
#include "einsummable/numeric_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/physical/planner.h"

namespace einsummable {
namespace {

// A save's name that no other has.
std::string free_name(const Graph& graph, TensorId tensor) {
  std::string name = "tensor " + std::to_string(tensor.value);
  while (std::ranges::find(graph.saves(), name, &GraphSave::name) != graph.saves().end()) {
    name += "'";
  }
  return name;
}

// The position of row-major element i.
std::string position(const Box& box, size_t i) {
  std::vector<int64_t> at(box.size());
  auto rest = static_cast<int64_t>(i);
  for (size_t axis = box.size(); axis-- > 0; rest /= box[axis].length()) {
    at[axis] = rest % box[axis].length();
  }
  return text(at);
}

Array64 fetched(Execution& execution, int32_t save, const TensorType& type) {
  const auto count = static_cast<size_t>(type.elements());
  std::vector<std::byte> memory(count * static_cast<size_t>(size_of(type.dtype)));
  const Shape shape = type.shape();
  const std::vector<int64_t> strides = row_major_strides(shape);
  execution.offload(save, {memory.data(), type.dtype, shape, strides});
  Array64 out(type.bounds);
  for (size_t i = 0; i < count; ++i) {
    out.values()[i] =
        load_element(type.dtype, memory.data() + i * static_cast<size_t>(size_of(type.dtype)));
  }
  return out;
}

}  // namespace

std::shared_ptr<const PhysicalPlan> keeping_all(const PhysicalPlan& plan) {
  auto graph = std::make_shared<Graph>(*plan.graph);
  std::vector<char> saved(graph->tensors().size(), 0);
  for (const GraphSave& save : graph->saves()) saved[save.tensor.index()] = 1;
  const auto keep = [&](TensorId tensor) {
    if (!std::exchange(saved[tensor.index()], 1)) graph->save(tensor, free_name(*graph, tensor));
  };
  for (const GraphOp& op : plan.graph->ops()) {
    std::ranges::for_each(op.inputs, keep);
    std::ranges::for_each(op.outputs, keep);
  }
  return std::make_shared<const PhysicalPlan>(with_saves_of(std::move(graph), plan));
}

NumericCheck::NumericCheck(std::shared_ptr<const PhysicalPlan> program,
                           std::shared_ptr<const PhysicalPlan> all, std::unique_ptr<Execution> kept)
    : program_(std::move(program)),
      all_(std::move(all)),
      kept_(std::move(kept)),
      save_of_(all_->graph->tensors().size(), -1) {
  const std::vector<GraphSave>& saves = all_->graph->saves();
  for (size_t s = 0; s < saves.size(); ++s) {
    save_of_[saves[s].tensor.index()] = static_cast<int32_t>(s);
  }
}

Array64 NumericCheck::kept(TensorId tensor) {
  return fetched(*kept_, save_of_[tensor.index()], all_->graph->type(tensor));
}

void NumericCheck::compare(Execution& execution, const std::function<bool()>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  kept_->run(interrupted);
  for (size_t op = 0; op < all_->graph->ops().size(); ++op) {
    if (interrupted && interrupted()) throw InputError("the call was interrupted");
    compare_op(op);
  }
  compare_saves(execution);
  const std::lock_guard lock(mutex_);
  report_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void NumericCheck::compare_op(size_t op) {
  const GraphOp& node = all_->graph->ops()[op];
  std::vector<Array64> inputs;
  for (TensorId tensor : node.inputs) inputs.push_back(kept(tensor));
  std::vector<int64_t> partials;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    partials.push_back(all_->specs[op].partials(o));
  }
  const std::vector<AllowedValues> allowed =
      allowed_values(*node.op, inputs, partials, all_->partial_dtype);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    compare_output(node, o, kept(node.outputs[o]), allowed[o]);
  }
}

void NumericCheck::compare_output(const GraphOp& op, size_t output, const Array64& found,
                                  const AllowedValues& allowed) {
  const TensorId tensor = op.outputs[output];
  const auto save = std::ranges::find(program_->graph->saves(), tensor, &GraphSave::tensor);
  const std::string name = save == program_->graph->saves().end()
                               ? "the result of " + op.op->name() + " " + quote(op.name)
                               : quote(save->name) + ", of " + op.op->name() + " " + quote(op.name);
  double closest = closest_;
  std::string note;
  for (size_t i = 0; i < found.values().size(); ++i) {
    const double value = found.values()[i], want = allowed.expected[i], bound = allowed.bound(i);
    const double off = value == want || std::isnan(want) ? 0 : std::abs(value - want);
    if (!allowed.hold(i, value)) {
      fail(name + " (" + describe(all_->graph->type(tensor)) + "), is " + float_text(value) +
           " at " + position(found.bounds(), i) + ", where the reference gives " +
           float_text(want) + "; they may differ by " + float_text(bound));
    }
    const double part = off == 0 || std::isinf(bound) ? 0 : off / bound;
    if (part <= closest) continue;
    closest = part;
    note = "largest difference " + float_text(off) + " of " + float_text(bound) + " allowed, in " +
           quote(op.name);
  }
  const std::lock_guard lock(mutex_);
  report_.count += found.size();
  if (closest > closest_) {
    closest_ = closest;
    report_.note = std::move(note);
  }
}

void NumericCheck::compare_saves(Execution& execution) {
  const std::vector<GraphSave>& saves = program_->graph->saves();
  for (size_t s = 0; s < saves.size(); ++s) {
    const TensorType& type = program_->graph->type(saves[s].tensor);
    const Array64 found = fetched(execution, static_cast<int32_t>(s), type);
    const Array64 want = kept(saves[s].tensor);
    for (size_t i = 0; i < want.values().size(); ++i) {
      const double a = found.values()[i], b = want.values()[i];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      fail(quote(saves[s].name) + " (" + describe(type) + "), is " + float_text(a) + " at " +
           position(want.bounds(), i) + ", where the same plan that keeps every tensor gives " +
           float_text(b) + "; they may differ by 0");
    }
    const std::lock_guard lock(mutex_);
    report_.count += want.size();
  }
}

Check NumericCheck::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void NumericCheck::fail(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    report_.detail = what;
  }
  throw DeviceError("numeric verification: " + what);
}

}  // namespace einsummable
