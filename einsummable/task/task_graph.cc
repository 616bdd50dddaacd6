// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/task_graph.h"

#include <array>

#include "einsummable/base/checked.h"

namespace einsummable {

int64_t Buffer::bytes() const { return checked_multiply(elements(box), size_of(dtype)); }

Operand whole_operand(BufferId id, const Buffer& buffer) {
  return part_operand(id, buffer, buffer.box);
}

Operand part_operand(BufferId id, const Buffer& buffer, const Box& box) {
  ensure(contains(buffer.box, box), "an operand outside its buffer");
  Operand out{.buffer = id,
              .region = shifted_to(box, buffer.box),
              .offset = 0,
              .shape = extents_of(box),
              .strides = row_major_strides(buffer.box)};
  for (size_t i = 0; i < box.size(); ++i) out.offset += out.region[i].lo * out.strides[i];
  return out;
}

Box region_box(const Buffer& buffer, const Box& region) {
  Box box = region;
  for (size_t i = 0; i < box.size(); ++i) {
    box[i].lo += buffer.box[i].lo;
    box[i].hi += buffer.box[i].lo;
  }
  return box;
}

Operand region_operand(BufferId id, const Buffer& buffer, const Box& region) {
  return part_operand(id, buffer, region_box(buffer, region));
}

int64_t transferred_bytes(const TaskGraph& graph) {
  int64_t bytes = 0;
  for (const Task& task : graph.tasks) bytes = checked_add(bytes, transferred_bytes(graph, task));
  return bytes;
}

int64_t transferred_bytes(const TaskGraph& graph, const Task& task) {
  if (task.kind != Task::Kind::transfer) return 0;
  int64_t bytes = 0;
  for (const Operand& read : task.reads) {
    const int64_t size = size_of(graph.buffer(read.buffer).dtype);
    bytes = checked_add(bytes, checked_multiply(elements(read.shape), size));
  }
  return bytes;
}

bool is_copy(Task::Kind kind) {
  return kind == Task::Kind::slice || kind == Task::Kind::concat || kind == Task::Kind::transfer;
}

std::string_view name(Task::Kind kind) {
  static constexpr std::array<std::string_view, 6> names = {"kernel",    "slice",    "concat",
                                                            "aggregate", "finalise", "transfer"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name(Buffer::Role role) {
  static constexpr std::array<std::string_view, 3> names = {"temporary", "input", "parameter"};
  return names[static_cast<size_t>(role)];
}

}  // namespace einsummable
