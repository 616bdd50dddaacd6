// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/builder.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable {

TaskGraphBuilder::TaskGraphBuilder(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits)
    : traits_(&traits) {
  graph_.plan = std::move(plan);
}

BufferId TaskGraphBuilder::add_buffer(Buffer buffer) {
  graph_.buffers.push_back(std::move(buffer));
  writers_.emplace_back();
  return BufferId(static_cast<int64_t>(graph_.buffers.size()) - 1);
}

std::vector<TaskId> TaskGraphBuilder::writers_of(const Operand& operand) const {
  std::vector<TaskId> out;
  for (const Writer& writer : writers_[operand.buffer.index()]) {
    if (!empty(intersect(writer.region, operand.region))) out.push_back(writer.task);
  }
  return out;
}

TaskId TaskGraphBuilder::add_task(Task task) {
  const TaskId id(static_cast<int64_t>(graph_.tasks.size()));
  for (const Operand& read : task.reads) {
    const std::vector<TaskId> writers = writers_of(read);
    task.after.insert(task.after.end(), writers.begin(), writers.end());
  }
  std::ranges::sort(task.after);
  task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  for (const Operand& write : task.writes) {
    if (!empty(write.region)) writers_[write.buffer.index()].push_back({id, write.region});
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
  offload.after = writers_of(offload.from);
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
  located_[{tensor, site}].push_back(std::move(located));
}

std::optional<Located> TaskGraphBuilder::find(TensorId tensor, SiteId site, const Box& box) const {
  const auto place = located_.find({tensor, site});
  if (place == located_.end()) return std::nullopt;
  for (const Located& located : place->second) {
    if (contains(located.box, box)) return part_of(located, box, buffer(located.operand.buffer));
  }
  return std::nullopt;
}

std::vector<Located> TaskGraphBuilder::cover(TensorId tensor, SiteId site,
                                             std::vector<Box> boxes) const {
  std::vector<Located> pieces;
  const auto place = located_.find({tensor, site});
  ensure(place != located_.end(), "nothing of a tensor is at a site that reads it");
  for (const Located& located : place->second) {
    if (boxes.empty()) break;
    for (const Box& box : boxes) {
      const Box common = intersect(box, located.box);
      if (empty(common)) continue;
      pieces.push_back(part_of(located, common, buffer(located.operand.buffer)));
    }
    boxes = subtract(boxes, located.box);
  }
  ensure(boxes.empty(), "a part of a block never arrives at a site that reads it");
  return pieces;
}

}  // namespace einsummable
