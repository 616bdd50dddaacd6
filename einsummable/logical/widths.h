// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "einsummable/spec/signature.h"

namespace einsummable {

// Counts an index may be cut into, by position of the index.
using MayCut = std::function<bool(size_t index, int64_t count)>;

// Calls `visit` with every list of counts, one an index, whose product is `cells`, each of which
// `may_cut` allows, with at most `most_cut` of them above 1, until it returns false; an index
// inside another is cut only where that one is in units. In rising order.
//   i, j, k and 4 cells: 1 1 4, 1 2 2, 1 4 1, 2 1 2, 2 2 1, 4 1 1
void for_each_counts(const Signature& signature, int64_t cells, const MayCut& may_cut,
                     const std::function<bool(const std::vector<int64_t>&)>& visit,
                     size_t most_cut = SIZE_MAX);

// All such lists; where there are more than `limit`, those that cut few indices: as many as still
// give no more than that, but at least one.
std::vector<std::vector<int64_t>> list_counts(const Signature& signature, int64_t cells,
                                              const MayCut& may_cut, size_t limit);

// Whether the index can be cut into `count` intervals of balanced work.
bool can_cut(const Index& index, int64_t count);

// What `can_cut` allows and the pinned counts, by name of index, do not exclude. Both arguments
// must outlive the result.
MayCut own_cuts(const Signature& signature, const std::map<std::string, int64_t>& pinned);

// Whether the signature can be cut into so many cells with the pinned counts, by name of index.
bool feasible(const Signature& signature, int64_t cells,
              const std::map<std::string, int64_t>& pinned);

using Signatures = std::vector<std::shared_ptr<const Signature>>;

// Which of an operator's signatures cuts it, into how many cells, and why not the first into p.
struct Width {
  size_t signature = 0;
  int64_t cells = 1;
  std::string reason;
};

// The first signature that gives p cells; else the first that gives the largest p' < p.
Width find_width(const Signatures& signatures, int64_t p);

// The first signature that has all pinned indices and can give as many cells with their counts as
// `free` has, the width without pins, or p. None if there is none.
std::optional<Width> find_pinned_width(const Signatures& signatures, int64_t p, const Width& free,
                                       const std::map<std::string, int64_t>& pinned);

}  // namespace einsummable
