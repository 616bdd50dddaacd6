// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/task/operand.h"
#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"

namespace einsummable {

// A task graph while it grows: orders tasks by what they read and write, and knows where the
// complete data of every tensor lies.
class TaskGraphBuilder {
 public:
  TaskGraphBuilder(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits);

  const Graph& graph() const { return graph_.graph(); }
  const PhysicalPlan& plan() const { return *graph_.plan; }
  const Traits& traits() const { return *traits_; }
  bool shared_memory() const { return traits_->memory == Traits::Memory::shared; }
  const std::vector<Buffer>& buffers() const { return graph_.buffers; }
  const Buffer& buffer(BufferId id) const { return graph_.buffers[id.index()]; }

  BufferId add_buffer(Buffer buffer);
  // Appends the task after everything that writes what it reads.
  TaskId add_task(Task task);
  // Appends the task after another one as well.
  TaskId add_task(Task task, TaskId earlier);
  void add_view(View view) { graph_.views.push_back(std::move(view)); }
  void add_offload(int32_t save, Located from);

  // The input or parameter's box at a site, loaded there. Boxes within one announced earlier share
  // it.
  void announce_given(TensorId tensor, const Resident& resident);
  void load_announced();

  // Complete data of a tensor at a site.
  void locate(TensorId tensor, SiteId site, Located located);
  // No step reads the tensor any more.
  void forget(TensorId tensor) { located_[tensor.index()] = {}; }
  // One location that contains the box; a view of it. None if there is none.
  std::optional<Located> find(TensorId tensor, SiteId site, const Box& box) const;

  // Locations at the site that together cover `boxes`, disjoint.
  std::vector<Located> cover(TensorId tensor, SiteId site, std::vector<Box> boxes) const;

  TaskGraph finish() { return std::move(graph_); }

 private:
  struct Writer {
    TaskId task;
    size_t write = 0;  // which of the task's
  };
  using AtSites = std::vector<std::vector<Located>>;  // empty, or a site each

  void add_writers(const Operand& operand, std::vector<TaskId>& out) const;
  std::span<const Located> located(TensorId tensor, SiteId site) const;

  const Traits* traits_;
  TaskGraph graph_;
  std::vector<std::vector<Writer>> writers_;  // of each buffer
  std::vector<AtSites> located_;              // of each tensor
  std::map<std::pair<TensorId, SiteId>, std::vector<Box>> announced_;
};

}  // namespace einsummable
