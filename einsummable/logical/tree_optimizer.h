// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/logical/choice.h"

namespace einsummable {

// Algorithm 1 of the paper with the cuts of Section 4.5, kept for comparison. What the paper leaves
// open is decided here as follows.
// * Trees: an operator hangs below its consumer if every tensor it makes that is read at all is
//   read once, all of them by that consumer (whose choice then fixes the tuple of their tilings).
//   Every other operator is the root of a tree. That a tensor is saved changes nothing.
// * Paths: every operator keeps, of the operators that hang below it, the one with the most
//   operators along the longest path down (ties: the earlier input); the other ones are roots of
//   paths of their own.
// * Order: the most operators first; ties: the path whose root comes first in the graph.
// * Charges: an edge is charged in the path where the second of its two operators is fixed. So a
//   root also pays for consumers that are fixed already, and nobody pays ahead for those to come.
// * Ties between candidates go to the first.
Choice choose_paper(const Candidates& candidates);

// The paths in the order in which they are optimised, each from its leaf to its root.
std::vector<std::vector<OpId>> paper_paths(const Graph& graph);

}  // namespace einsummable
