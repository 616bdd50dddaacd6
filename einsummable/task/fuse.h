// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/task/traits.h"

namespace einsummable {

// Joins kernel tasks, before memory is planned: where a whole block that one makes is read only by
// an elementwise one at the same site, as the same block, both are one task and the block is never
// stored.
//   epilogues   of an operator that is not elementwise with the first elementwise ones after it, as
//               many as `traits` says that one kernel does. Such a kernel need not round between
//               its steps.
//   runs        of elementwise operators with each other. Steps round as before, so results keep
//               their bits.
void fuse(TaskGraph& graph, const Traits& traits, const Interruption& interruption = {});

// Takes the marked tasks and buffers out of the graph, which nothing else uses any more, and
// renumbers the rest.
void remove(TaskGraph& graph, const std::vector<char>& tasks, const std::vector<char>& buffers);

}  // namespace einsummable
