// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/large_inputs.h"

#include <algorithm>
#include <optional>

#include "einsummable/base/error.h"

namespace einsummable::cpu {
namespace {

// In bytes.
constexpr int64_t kLarge = int64_t{1} << 16;

int64_t offset_of(const Box& region, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < region.size(); ++i) offset += region[i].lo * strides[i];
  return offset;
}

// Whether a task reads the part of the buffer as it lies there, each axis along its own.
bool is_plain(const Operand& read, const Buffer& buffer) {
  const Operand part = region_operand(read.buffer, buffer, read.region);
  return read.shape == part.shape && read.strides == part.strides && read.offset == part.offset;
}

}  // namespace

LargeInputs::LargeInputs(const TaskGraph& graph) : graph_(graph) {
  for (size_t i = 0; i < graph.loads.size(); ++i) {
    const Buffer& buffer = graph.buffer(graph.loads[i].buffer);
    if (buffer.role != Buffer::Role::input || buffer.bytes() < kLarge) continue;
    Input& input = inputs_.emplace_back();
    input.load = i;
    input.buffer = graph.loads[i].buffer;
    input.strides.resize(buffer.box.size());
  }
  find_readers();
}

void LargeInputs::find_readers() {
  std::vector<Input*> of(graph_.buffers.size(), nullptr);
  for (Input& input : inputs_) of[input.buffer.index()] = &input;
  for (size_t t = 0; t < graph_.tasks.size(); ++t) {
    const Task& task = graph_.tasks[t];
    for (size_t r = 0; r < task.reads.size(); ++r) {
      const Operand& read = task.reads[r];
      Input* input = of[read.buffer.index()];
      if (!input) continue;
      input->readers.push_back({t, r, read.region});
      input->movable &= task.kind == Task::Kind::kernel && task.steps.size() == 1 &&
                        is_plain(read, graph_.buffer(read.buffer));
    }
  }
  std::vector<char> fetched(graph_.buffers.size(), 0);
  for (const Offload& offload : graph_.offloads) {
    fetched[offload.from.buffer.index()] = 1;
    if (Input* input = of[offload.from.buffer.index()]) input->movable = false;
  }
  // What nobody needs may share memory with what is written during the call.
  std::erase_if(inputs_, [&](const Input& input) {
    return input.readers.empty() && !fetched[input.buffer.index()];
  });
}

TaskGraph LargeInputs::order() const {
  TaskGraph out;
  out.plan = graph_.plan;
  std::vector<std::optional<TaskId>> copy_of(graph_.buffers.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    copy_of[inputs_[i].buffer.index()] = TaskId(static_cast<int64_t>(i));
    const SiteId site = graph_.buffer(inputs_[i].buffer).site;
    out.tasks.push_back({.site = site, .reads = {}, .writes = {}, .after = {}});
  }
  for (const Task& task : graph_.tasks) {
    std::vector<TaskId> after;
    for (const Operand& read : task.reads) {
      const auto& copy = copy_of[read.buffer.index()];
      if (copy && std::ranges::find(after, *copy) == after.end()) after.push_back(*copy);
    }
    for (TaskId before : task.after) {
      after.push_back(TaskId(before.value + static_cast<int64_t>(inputs_.size())));
    }
    out.tasks.push_back({.site = task.site, .reads = {}, .writes = {}, .after = std::move(after)});
  }
  return out;
}

// A copy is as urgent as what waits for it.
std::vector<double> LargeInputs::urgency(std::span<const double> tasks) const {
  std::vector<double> out;
  for (const Input& input : inputs_) {
    double most = 0;
    for (const Reader& reader : input.readers) most = std::max(most, tasks[reader.task]);
    out.push_back(most);
  }
  out.insert(out.end(), tasks.begin(), tasks.end());
  return out;
}

bool LargeInputs::give(size_t load, const StridedView& from, std::span<const PreparedTask> tasks,
                       const Arenas& arenas) {
  const auto found = std::ranges::find(inputs_, load, &Input::load);
  if (found == inputs_.end()) return false;
  Input& input = *found;
  const Buffer& buffer = graph_.buffer(input.buffer);
  // Rows that lie as kernels like them; what runs backwards or jumps is copied.
  const bool rows = from.dtype == buffer.dtype && !from.strides.empty() &&
                    from.strides.back() == 1 &&
                    std::ranges::all_of(from.strides, [](int64_t stride) { return stride > 0; });
  input.data = nullptr;
  const bool may = rows && is_movable(input, tasks);
  if (may && move(input, from.data, from.strides, tasks)) {
    input.moved = true;
    return true;
  }
  // Some of its readers may have moved.
  if (std::exchange(input.moved, false) || may) move_home(input, tasks, arenas);
  input.data = from.data;
  input.dtype = from.dtype;
  std::ranges::copy(from.strides, input.strides.begin());
  return true;
}

bool LargeInputs::is_movable(const Input& input, std::span<const PreparedTask> tasks) const {
  return input.movable && std::ranges::all_of(input.readers, [&](const Reader& reader) {
           return static_cast<bool>(tasks[reader.task].move_read);
         });
}

bool LargeInputs::move(const Input& input, std::byte* data, std::span<const int64_t> strides,
                       std::span<const PreparedTask> tasks) const {
  const int64_t size = size_of(graph_.buffer(input.buffer).dtype);
  return std::ranges::all_of(input.readers, [&](const Reader& reader) {
    return tasks[reader.task].move_read(reader.read,
                                        data + offset_of(reader.region, strides) * size, strides);
  });
}

void LargeInputs::move_home(const Input& input, std::span<const PreparedTask> tasks,
                            const Arenas& arenas) const {
  const StridedView home = arenas.view(input.buffer);
  ensure(move(input, home.data, home.strides, tasks), "a kernel reads where it was prepared to");
}

void LargeInputs::copy(size_t i, const Arenas& arenas) {
  Input& input = inputs_[i];
  if (!input.data) return;
  const StridedView to = arenas.view(input.buffer);
  copy_elements({input.data, input.dtype, to.shape, input.strides}, to);
  input.data = nullptr;
}

}  // namespace einsummable::cpu
