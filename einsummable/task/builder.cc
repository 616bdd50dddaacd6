// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/builder.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable {

TaskGraphBuilder::TaskGraphBuilder(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits)
    : traits_(&traits) {
  graph_.plan = std::move(plan);
  located_.resize(graph().tensors().size());
}

BufferId TaskGraphBuilder::add_buffer(Buffer buffer) {
  graph_.buffers.push_back(std::move(buffer));
  writers_.emplace_back();
  return BufferId(static_cast<int64_t>(graph_.buffers.size()) - 1);
}

// Appends the tasks that write what the operand reads.
void TaskGraphBuilder::add_writers(const Operand& operand, std::vector<TaskId>& out) const {
  for (const Writer& writer : writers_[operand.buffer.index()]) {
    if (meet(graph_.task(writer.task).writes[writer.write].region, operand.region)) {
      out.push_back(writer.task);
    }
  }
}

TaskId TaskGraphBuilder::add_task(Task task) {
  const TaskId id(static_cast<int64_t>(graph_.tasks.size()));
  for (const Operand& read : task.reads) add_writers(read, task.after);
  std::ranges::sort(task.after);
  task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  for (size_t i = 0; i < task.writes.size(); ++i) {
    writers_[task.writes[i].buffer.index()].push_back({id, i});
  }
  graph_.tasks.push_back(std::move(task));
  return id;
}

TaskId TaskGraphBuilder::add_task(Task task, TaskId earlier) {
  if (earlier.valid()) task.after.push_back(earlier);
  return add_task(std::move(task));
}

void TaskGraphBuilder::add_offload(int32_t save, Located from) {
  Offload offload{.save = save, .box = std::move(from.box), .from = std::move(from.operand)};
  add_writers(offload.from, offload.after);
  graph_.offloads.push_back(std::move(offload));
}

void TaskGraphBuilder::announce_given(TensorId tensor, const Resident& resident) {
  std::vector<Box>& boxes = announced_[{tensor, resident.site}];
  for (const Box& box : boxes) {
    if (contains(box, resident.box)) return;
  }
  std::erase_if(boxes, [&](const Box& box) { return contains(resident.box, box); });
  boxes.push_back(resident.box);
}

void TaskGraphBuilder::load_announced() {
  for (const auto& [place, boxes] : announced_) {
    const GraphTensor& tensor = graph().tensor(place.first);
    const bool parameter = tensor.kind == GraphTensor::Kind::parameter;
    for (const Box& box : boxes) {
      const BufferId id =
          add_buffer({.role = parameter ? Buffer::Role::parameter : Buffer::Role::input,
                      .site = place.second,
                      .dtype = tensor.type.dtype,
                      .tensor = place.first,
                      .box = box});
      graph_.loads.push_back({place.first, id});
      locate(place.first, place.second, {box, whole_operand(id, buffer(id))});
    }
  }
}

void TaskGraphBuilder::locate(TensorId tensor, SiteId site, Located located) {
  AtSites& at_sites = located_[tensor.index()];
  at_sites.resize(static_cast<size_t>(plan().sites));
  at_sites[site.index()].push_back(std::move(located));
}

std::span<const Located> TaskGraphBuilder::located(TensorId tensor, SiteId site) const {
  const AtSites& at_sites = located_[tensor.index()];
  if (at_sites.empty()) return {};
  return at_sites[site.index()];
}

std::optional<Located> TaskGraphBuilder::find(TensorId tensor, SiteId site, const Box& box) const {
  for (const Located& there : located(tensor, site)) {
    if (contains(there.box, box)) return part_of(there, box, buffer(there.operand.buffer));
  }
  return std::nullopt;
}

std::vector<Located> TaskGraphBuilder::cover(TensorId tensor, SiteId site,
                                             std::vector<Box> boxes) const {
  std::vector<Located> pieces;
  pieces.reserve(located(tensor, site).size());
  for (const Located& there : located(tensor, site)) {
    if (boxes.empty()) break;
    for (const Box& box : boxes) {
      if (!meet(box, there.box)) continue;
      pieces.push_back(part_of(there, intersect(box, there.box), buffer(there.operand.buffer)));
    }
    subtract(boxes, there.box);
  }
  ensure(boxes.empty(), "a part of a block never arrives at a site that reads it");
  return pieces;
}

}  // namespace einsummable
