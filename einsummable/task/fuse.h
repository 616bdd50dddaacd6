// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/task/task_graph.h"

namespace einsummable {

// Joins runs of elementwise operators into one kernel task each: where a block that an elementwise
// kernel makes is read only by one other elementwise kernel at the same site, as the same block,
// the block is never stored. Before memory is planned. Steps round as before, so results keep their
// bits.
void fuse_elementwise(TaskGraph& graph, const Interruption& interruption = {});

// Takes the marked tasks and buffers out of the graph, which nothing else uses any more, and
// renumbers the rest.
void remove(TaskGraph& graph, const std::vector<char>& tasks, const std::vector<char>& buffers);

}  // namespace einsummable
