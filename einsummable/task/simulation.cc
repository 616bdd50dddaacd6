// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/simulation.h"

#include <functional>
#include <map>
#include <queue>

#include "einsummable/base/error.h"
#include "einsummable/logical/kernel_time.h"
#include "einsummable/topology/flow.h"
#include "einsummable/topology/resolve.h"

namespace einsummable {
namespace {

// Tasks that may start, the earliest in the list first.
using Ready = std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>>;

// What runs one task after the other: a device, or the copies between an ordered pair of sites.
struct Queue {
  Ready ready;
  bool busy = false;
};

double bytes_of(const TaskGraph& graph, const std::vector<Operand>& operands) {
  double bytes = 0;
  for (const Operand& operand : operands) {
    double count = 1;
    for (int64_t extent : operand.shape) count *= static_cast<double>(extent);
    bytes += count * static_cast<double>(size_of(graph.buffer(operand.buffer).dtype));
  }
  return bytes;
}

// Of a task that is no transfer: its latency, and the longer of its arithmetic and its reading and
// writing.
double device_ms(const TaskGraph& graph, const Task& task, const Topology& topology,
                 const Device& device) {
  double seconds = 0;
  for (const KernelStep& step : task.steps) {
    const FunctionSpec cell = graph.plan->specs[step.op.index()].cell(step.cell);
    seconds += arithmetic_seconds(*graph.graph().op(step.op).op, cell, topology, device);
  }
  if (device.hbm_gbps > 0) {
    const double bytes = bytes_of(graph, task.reads) + bytes_of(graph, task.writes);
    seconds = std::max(seconds, bytes / (device.hbm_gbps * 1e9));
  }
  return seconds * 1e3 + device.kernel_latency_us * 1e-3;
}

class Simulator {
 public:
  Simulator(const TaskGraph& graph, const Topology& topology)
      : graph_(graph),
        topology_(topology),
        flow_(flow_over(topology)),
        queues_(topology.devices.size()),
        queue_of_(graph.tasks.size()),
        open_(graph.tasks.size(), 0) {
    const int64_t sites = graph.plan->sites;
    require_sites(topology, sites);
    out_.start.resize(graph.tasks.size(), 0);
    out_.end.resize(graph.tasks.size(), 0);
    out_.busy.resize(static_cast<size_t>(sites), 0);
    link();
  }

  TaskSimulation run() {
    for (size_t t = 0; t < open_.size(); ++t) {
      if (open_[t] == 0) make_ready(static_cast<int32_t>(t));
    }
    std::vector<int32_t> ended;
    start_all();
    while (flow_.advance(ended)) {
      for (int32_t task : ended) finish(task);
      start_all();
    }
    out_.ms = flow_.now();
    return std::move(out_);
  }

 private:
  bool is_transfer(int32_t task) const { return at(task).kind == Task::Kind::transfer; }
  const Task& at(int32_t task) const { return graph_.tasks[static_cast<size_t>(task)]; }
  SiteId source_of(const Task& transfer) const {
    return graph_.buffer(transfer.reads[0].buffer).site;
  }

  // Counts what each task waits for, who waits for it, and finds its queue.
  void link() {
    std::vector<int32_t> followers(graph_.tasks.size() + 1, 0);
    for (const Task& task : graph_.tasks) {
      for (TaskId before : task.after) ++followers[before.index() + 1];
    }
    for (size_t t = 0; t < graph_.tasks.size(); ++t) followers[t + 1] += followers[t];
    first_follower_ = followers;
    followers_.resize(static_cast<size_t>(followers.back()));
    for (size_t t = 0; t < graph_.tasks.size(); ++t) {
      const Task& task = graph_.tasks[t];
      open_[t] = static_cast<int32_t>(task.after.size());
      for (TaskId before : task.after) {
        followers_[static_cast<size_t>(followers[before.index()]++)] = static_cast<int32_t>(t);
      }
      queue_of_[t] = queue_of(task);
    }
  }

  size_t queue_of(const Task& task) {
    if (task.kind != Task::Kind::transfer) {
      return static_cast<size_t>(topology_.device_of[task.site.index()]);
    }
    const auto [place, added] = pairs_.try_emplace({source_of(task), task.site}, queues_.size());
    if (added) queues_.emplace_back();
    return place->second;
  }

  void make_ready(int32_t task) {
    const size_t queue = queue_of_[static_cast<size_t>(task)];
    queues_[queue].ready.push(task);
    touched_.push_back(queue);
  }

  void start_all() {
    // A worker that is free again may serve any device.
    if (topology_.workers > 0) {
      for (size_t q = 0; q < topology_.devices.size(); ++q) touched_.push_back(q);
    }
    std::ranges::sort(touched_);
    for (size_t q : touched_) {
      Queue& queue = queues_[q];
      if (queue.busy || queue.ready.empty()) continue;
      const int32_t task = queue.ready.top();
      if (!is_transfer(task)) {
        if (topology_.workers > 0 && running_ >= topology_.workers) continue;
        ++running_;
      }
      queue.ready.pop();
      queue.busy = true;
      out_.start[static_cast<size_t>(task)] = flow_.now();
      flow_.start(task, is_transfer(task) ? transfer_job(at(task)) : device_job(at(task)));
    }
    touched_.clear();
  }

  void finish(int32_t task) {
    const auto t = static_cast<size_t>(task);
    out_.end[t] = flow_.now();
    if (!is_transfer(task)) {
      --running_;
      out_.busy[at(task).site.index()] += out_.end[t] - out_.start[t];
    }
    queues_[queue_of_[t]].busy = false;
    touched_.push_back(queue_of_[t]);
    for (int32_t f = first_follower_[t]; f < first_follower_[t + 1]; ++f) {
      const int32_t follower = followers_[static_cast<size_t>(f)];
      if (--open_[static_cast<size_t>(follower)] == 0) make_ready(follower);
    }
  }

  Flow::Job transfer_job(const Task& task) const {
    const SiteId from = source_of(task);
    const auto sites = static_cast<size_t>(topology_.sites());
    const int32_t route = topology_.route_of[from.index() * sites + task.site.index()];
    if (route < 0) {
      throw TopologyError(topology_.name + " has no way from site " + std::to_string(from.value) +
                          " to site " + std::to_string(task.site.value));
    }
    const Route& way = topology_.routes[static_cast<size_t>(route)];
    const bool moves = !topology_.handover && !way.resources.empty();
    return {.route = moves ? route : Flow::no_route,
            .bytes = moves ? bytes_of(graph_, task.reads) : 0,
            .delay_ms = way.latency_us * 1e-3};
  }

  Flow::Job device_job(const Task& task) const {
    const Device& device = topology_.device(task.site.value);
    return {.delay_ms = device_ms(graph_, task, topology_, device)};
  }

  const TaskGraph& graph_;
  const Topology& topology_;
  Flow flow_;
  std::vector<Queue> queues_;  // a device each, then the ordered pairs of sites
  std::map<std::pair<SiteId, SiteId>, size_t> pairs_;
  std::vector<size_t> queue_of_;                     // of each task
  std::vector<int32_t> open_;                        // of each task: what it still waits for
  std::vector<int32_t> first_follower_, followers_;  // of each task
  std::vector<size_t> touched_;                      // queues that may start something
  int64_t running_ = 0;                              // tasks that compute
  TaskSimulation out_;
};

}  // namespace

TaskSimulation simulate(const TaskGraph& graph, const Topology& topology) {
  return Simulator(graph, topology).run();
}

std::vector<double> longest_paths(const TaskGraph& graph, const Topology& topology) {
  std::vector<double> out(graph.tasks.size(), 0);
  for (size_t t = out.size(); t-- > 0;) {  // those that wait for a task come after it
    out[t] += device_ms(graph, graph.tasks[t], topology, topology.device(0));
    for (TaskId earlier : graph.tasks[t].after) {
      out[earlier.index()] = std::max(out[earlier.index()], out[t]);
    }
  }
  return out;
}

}  // namespace einsummable
