// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "einsummable/topology/topology.h"

namespace einsummable {

// Of sites: site s takes the place of site permutation[s].
using Permutation = std::vector<int32_t>;

// Whether nothing changes if every site takes its new place: devices have the same figures, sites
// that shared a device share one, and each route is as fast and goes through the same things, up to
// renaming all links, ports and buses at once.
bool is_automorphism(const Topology& topology, const Permutation& permutation);

// The group of all automorphisms.
struct Symmetries {
  std::vector<Permutation> generators;
  std::vector<int32_t> orbit_of;  // the least site that each can take the place of
  double order = 1;               // how many there are: 40320 of 8 GPUs on one switch
  bool complete = true;           // false: the search was cut off, and there may be more
};

// Finds them without listing them: 72 GPUs on one switch take milliseconds. Tries at most `budget`
// partial permutations.
Symmetries symmetries(const Topology& topology, int64_t budget = 20'000);

// All products of `generators`, the identity first, or the first `limit` of them. Deterministic.
std::vector<Permutation> group_elements(const std::vector<Permutation>& generators, int64_t sites,
                                        size_t limit);

// A small group of automorphisms that leaves as few orbits as it can find, for solving one site (or
// node) of each orbit and spreading the answer. `keeps` says which permutations keep what else must
// not change; it must accept products and inverses of what it accepts. All elements, the identity
// first; at most `limit`.
//
//     of 2 x 8 GPUs: the 16 that turn within the nodes alike and swap the nodes
std::vector<Permutation> spreading_group(const Topology& topology,
                                         const std::function<bool(const Permutation&)>& keeps,
                                         size_t limit = 1'024);

}  // namespace einsummable
