// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/task/task_graph.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// When everything of a call happens on a topology, predicted; ms from its start.
struct TaskSimulation {
  double ms = 0;                   // until the last task has ended
  std::vector<double> start, end;  // of each task
  std::vector<double> busy;        // of each site: the ms in which it computes
};

// Simulates a task graph: compute and copies overlap. A device runs one task at a time, the
// earliest in the list of those that are ready, for its latency and the longer of its arithmetic
// and its reading and writing; a machine of few workers runs no more tasks than those at once.
// Between an ordered pair of sites one transfer runs at a time, the earliest in the list; transfers
// share what lies between as Flow says. Host transfers (loads and offloads) are left out. Throws
// TopologyError where there are fewer sites than in the plan, or no way between two that it needs.
TaskSimulation simulate(const TaskGraph& graph, const Topology& topology);

// Of each task, the ms of the longest path from its beginning to the end of the graph, if nothing
// but what tasks depend on holds them up. Every site is like the topology's first, and transfers
// only read and write memory.
std::vector<double> longest_paths(const TaskGraph& graph, const Topology& topology);

}  // namespace einsummable
