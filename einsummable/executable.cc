// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executable.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/task/memory_plan.h"
#include "einsummable/task/memory_use.h"

namespace einsummable {
namespace {

std::string expected(const GraphTensor& tensor) {
  return quote(tensor.name) + " is " + describe(tensor.type);
}

bool has_shape(const StridedView& array, const TensorType& type) {
  return std::ranges::equal(array.shape, type.bounds, {}, {}, &Interval::length);
}

std::string described(const StridedView& array) {
  return std::string(long_name(array.dtype)) + text(array.shape);
}

}  // namespace

int64_t LoweredPlan::peak_bytes() const { return einsummable::peak_bytes(*tasks); }

std::vector<DeviceMemory> LoweredPlan::memory() const {
  const std::vector<int64_t> least = least_bytes(*tasks);
  std::vector<DeviceMemory> out;
  for (size_t site = 0; site < least.size(); ++site) {
    out.push_back({tasks->memory[site].peak(), least[site]});
  }
  return out;
}

Executable::Executable(LoweredPlan lowered, std::unique_ptr<Execution> execution,
                       std::unique_ptr<NumericCheck> numeric)
    : lowered_(std::move(lowered)),
      execution_(std::move(execution)),
      numeric_(std::move(numeric)),
      read_(graph().tensors().size(), 0),
      loaded_(graph().tensors().size(), 0) {
  for (const Load& load : lowered_.tasks->loads) read_[load.tensor.index()] = 1;
}

TensorId Executable::checked_tensor(const Argument& argument) const {
  const TensorId id = graph().find_tensor(argument.name);
  if (!id.valid()) {
    std::vector<std::string> names;
    for (const GraphTensor& tensor : graph().tensors()) {
      if (tensor.is_given()) names.push_back(quote(tensor.name));
    }
    throw InputError("there is no input or parameter called " + quote(argument.name) +
                     "; there are " + join(names, ", "));
  }
  const GraphTensor& tensor = graph().tensor(id);
  const bool same_shape = has_shape(argument.array, tensor.type);
  if (argument.array.dtype != tensor.type.dtype || !same_shape) {
    throw InputError(
        expected(tensor) + ", but the array given is " + described(argument.array) +
        (same_shape ? "; cast it to " + std::string(long_name(tensor.type.dtype)) : ""));
  }
  return id;
}

void Executable::load_checked(TensorId tensor, const StridedView& array) {
  execution_->load(tensor, array);
  if (numeric_) numeric_->load(tensor, array);
  loaded_[tensor.index()] = 1;
}

void Executable::load(std::string_view parameter, const StridedView& array) {
  const std::lock_guard lock(mutex_);
  const TensorId tensor = checked_tensor({std::string(parameter), array});
  if (graph().tensor(tensor).kind != GraphTensor::Kind::parameter) {
    throw InputError(quote(parameter) + " is an input, which is given at every call; load takes " +
                     "parameters");
  }
  load_checked(tensor, array);
}

void Executable::require_loaded() const {
  for (size_t t = 0; t < loaded_.size(); ++t) {
    const GraphTensor& tensor = graph().tensors()[t];
    if (!read_[t] || loaded_[t]) continue;
    const bool parameter = tensor.kind == GraphTensor::Kind::parameter;
    throw InputError((parameter ? "parameter " : "input ") + expected(tensor) +
                     (parameter ? ", and was never loaded" : ", and is missing from the call"));
  }
}

void Executable::call(std::span<const Argument> inputs, std::span<const Argument> outputs,
                      const std::function<bool()>& interrupted) {
  const std::lock_guard lock(mutex_);
  for (size_t t = 0; t < loaded_.size(); ++t) {
    if (graph().tensors()[t].kind == GraphTensor::Kind::input) loaded_[t] = 0;
  }
  given_.clear();
  for (const Argument& input : inputs) given_.push_back(checked_tensor(input));
  wanted_.clear();
  for (const Argument& output : outputs) {
    const auto& all = graph().saves();
    const auto save = std::ranges::find(all, output.name, &GraphSave::name);
    if (save == all.end()) throw InputError("no tensor is saved as " + quote(output.name));
    const TensorType& type = graph().type(save->tensor);
    if (output.array.dtype != type.dtype || !has_shape(output.array, type)) {
      throw InputError("the result " + quote(output.name) + " is " + describe(type) +
                       ", but the array to fill is " + described(output.array));
    }
    wanted_.push_back(static_cast<int32_t>(save - all.begin()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) load_checked(given_[i], inputs[i].array);
  require_loaded();
  execution_->run(interrupted);
  if (numeric_) numeric_->compare(*execution_, interrupted);
  for (size_t i = 0; i < outputs.size(); ++i) execution_->offload(wanted_[i], outputs[i].array);
}

std::vector<ProfileLine> Executable::last_profile() {
  const std::lock_guard lock(mutex_);
  return profile(*lowered_.tasks, times_of_tasks());
}

std::vector<Span> Executable::last_spans() {
  const std::lock_guard lock(mutex_);
  return spans(*lowered_.tasks, times_of_tasks());
}

std::vector<TaskTime> Executable::times_of_tasks() const {
  std::vector<TaskTime> times = execution_->last_run();
  if (times.size() == lowered_.tasks->tasks.size()) return times;
  throw DeviceError(
      "a call is one launch here, whose tasks are timed only where timed=True compiled it");
}

}  // namespace einsummable
