// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "einsummable/base/id.h"
#include "einsummable/tensor/interval.h"

namespace einsummable {

// A set of blocks of one tensor in product form: along each axis the sorted, distinct, non-empty
// intervals, every combination of them one block. Blocks that are read may overlap (a prefix, a
// halo); blocks that are written tile the tensor (Definition 3.2).
struct Tiling {
  std::vector<std::vector<Interval>> axes;
  // False if only some combinations are blocks (one index on two axes). Such a set matches nothing.
  bool product = true;

  int64_t blocks() const;
  bool operator==(const Tiling&) const = default;
};

// One block, the whole tensor.
Tiling whole(const Box& bounds);

// Whether the blocks tile `bounds`: along every axis the intervals follow one another without gap.
bool tiles(const Tiling& tiling, const Box& bounds);

// What a reader of `read` alone sees: every interval cut to it, empty ones dropped.
Tiling restrict_to(const Tiling& tiling, const Box& read);

// The coarsest tiling of which all blocks of both are unions: along every axis, all bounds of both.
//   overlay of rows {0, 128, 256} and {0, 64, 128, 192, 256}: four blocks (the paper's Example 5.4)
Tiling overlay(const Tiling& a, const Tiling& b);

std::string text(const Tiling& tiling);  // "{0:128, 128:256} {0:64}"

struct TilingTag;
using TilingId = Id<TilingTag>;

// Matches no tiling, not even itself.
inline constexpr TilingId kUnmatched{};

constexpr bool matches(TilingId a, TilingId b) { return a.valid() && a == b; }

// Gives equal tilings equal ids, so that comparing them costs one comparison.
class TilingTable {
 public:
  TilingId intern(const Tiling& tiling);  // kUnmatched if the set is no product
  const Tiling& operator[](TilingId id) const { return *tilings_[id.index()]; }

 private:
  struct Hash {
    size_t operator()(const Tiling& tiling) const;
  };
  std::unordered_map<Tiling, TilingId, Hash> ids_;
  std::vector<const Tiling*> tilings_;  // keys of ids_, whose nodes stay in place
};

}  // namespace einsummable
