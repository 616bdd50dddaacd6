// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/cuda/stamps.h"
#include "einsummable/task/task_graph.h"

namespace einsummable::cuda {

// Where the tasks of a graph run, and what they are run by.
struct Binding {
  const Api& api;
  const TaskGraph& graph;
  const Arenas& arenas;
  std::span<const int32_t> devices;  // of every site
  // The function of a generated kernel on a device.
  std::function<Function(const KernelSource& source, int32_t device)> function;
  // Where the Fault of a task goes.
  std::function<Address(TaskId task)> fault;
  // Whether a device's memory is copied from by another without the host.
  std::function<bool(int32_t from, int32_t to)> reaches;
  // What tasks are timed by, each alone: none if they are not.
  const Stamps* stamps = nullptr;
};

// Adds the tasks of a graph, in their order, as nodes of a CUDA graph.
//
// A node comes after the last nodes of what its task waits for; after the task's own node before
// it; where it uses the workspace of a site, after the node that did so last; and a copy after the
// one before it between the same two sites, in the order of the exchange program (one queue an
// ordered pair). Nothing else orders nodes. Where tasks are timed, one node before those of a task
// and one after it write the time.
class GraphBuilder {
 public:
  GraphBuilder(const Binding& binding, GraphHandle graph) : binding_(binding), graph_(graph) {}

  // The next task. Throws DeviceError, which names it and its device.
  void add(TaskId id, const PreparedTask& prepared);

  // Pinned memory that copies go through where devices do not reach one another. The nodes use it.
  std::vector<Pinned> take_staging();

 private:
  using Nodes = std::vector<Node>;
  // Copies between an ordered pair of sites: the last one, and if they go through the host, two
  // pieces of pinned memory and the copies out of them that were last.
  struct Queue {
    Nodes last;
    int64_t staging = -1;
    int64_t piece = 0;  // how many went through the host
    std::array<Nodes, 2> freed;
  };

  Nodes ends_of(const Task& task) const;
  // With what else the task waits for: the workspace, or its queues.
  Nodes with_queues(const Task& task, const PreparedTask& prepared, Nodes after);
  // A node that writes a device's time.
  Nodes stamp(TaskId id, Address at, Nodes after);
  Nodes add_nodes(TaskId id, const PreparedTask& prepared, Nodes after);
  Node add_node(TaskId id, const NodeCall& call, const Nodes& after);
  Node add_kernel(TaskId id, const GeneratedKernel& kernel, const Nodes& after);
  Node add_product(TaskId id, const ProductCall& call, const Nodes& after);
  Node add_attention(TaskId id, const AttentionCall& call, const Nodes& after);
  Nodes add_transfer(TaskId id, Nodes after);
  void add_copy(TaskId id, const Copy& copy, Nodes after, Queue& queue);
  void add_staged(TaskId id, const Copy& copy, Nodes after, Queue& queue);
  Node copy_node(TaskId id, const Copy& copy, const Nodes& after);

  Address address(TaskId id, const Argument& argument) const;
  int32_t device(SiteId site) const { return binding_.devices[site.index()]; }
  // Throws what `check` does, with the task and its device.
  void require(Status status, TaskId id) const;
  std::string what(TaskId id) const;

  const Binding& binding_;
  GraphHandle graph_;
  std::vector<Nodes> ends_;  // of every task so far
  std::map<SiteId, Nodes> workspaces_;
  std::map<int32_t, Node> origins_;  // of devices: the nodes that stamp them, before all others
  std::map<std::pair<SiteId, SiteId>, Queue> queues_;
  std::vector<Pinned> staging_;
};

}  // namespace einsummable::cuda
