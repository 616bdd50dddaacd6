// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"

namespace einsummable {

// Gives every kernel its workspace, every buffer a fixed place in its site's arena, and the graph
// its memory. Parameters keep theirs; a temporary's or an input's memory is reused once everything
// that touches it has ended, for which tasks are ordered after one another where the data does not
// order them yet. Buffers are placed one after another, each as low as its lifetime allows: larger
// ones first, then again in other orders while an arena is beyond what lives at one time.
void plan_memory(TaskGraph& graph, const Traits& traits, const Interruption& interruption = {});

// The largest peak of all sites, in bytes.
int64_t peak_bytes(const TaskGraph& graph);

// Throws MemoryLimitError, with the site, what needs how much there, and what would do, if any
// site's peak exceeds `limit` bytes.
void check_memory_limit(const TaskGraph& graph, int64_t limit);

}  // namespace einsummable
