// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "einsummable/tensor/interval.h"

namespace einsummable {

// How much work lies before a position of an index: what cuts balance.
struct Work {
  enum class Kind : uint8_t {
    length,       // as many units
    segments,     // len^2 a segment, evenly within it: attention over packed sequences
    causal,       // as many keys as the rows of a segment may see: row r of one sees r + 1 + offset
    causal_keys,  // the same pairs, counted by key: key j of n is seen by n - max(j, offset) rows
  };
  Kind kind = Kind::length;
  std::vector<int64_t> segments = {};  // end positions; empty: one segment, the whole index
  int64_t offset = 0;                  // causal: keys before the first row's own

  double before(int64_t position, int64_t extent) const;
  bool operator==(const Work&) const = default;
};

// One index of an operator (Section 3.3): what a spec cuts. An axis is a factor times an index, so
// extents and cuts count units, not elements.
struct Index {
  enum class Cut : uint8_t { anywhere, at_ends, never };

  std::string name;
  int64_t extent = 0;
  Cut cut = Cut::anywhere;
  std::vector<int64_t> ends = {};  // at_ends: the only legal cuts, rising, the last = extent
  Work work = {};
  int32_t within = -1;  // position of the outer index of `(b s)`: this index is cut
                        // only where that one is cut into units
  bool operator==(const Index&) const = default;
};

// Cut positions in units: 0 = c[0] < c[1] < ... < c[n] = extent; {0, 0} if the extent is 0.
using Cuts = std::vector<int64_t>;

inline int64_t count_of(const Cuts& cuts) { return static_cast<int64_t>(cuts.size()) - 1; }
inline Interval interval_of(const Cuts& cuts, int64_t part) {
  return {cuts[static_cast<size_t>(part)], cuts[static_cast<size_t>(part) + 1]};
}

Cuts uncut(const Index& index);

// Whether `cuts` are legal for the index: rising, from 0 to the extent, at its ends if it has them.
bool is_legal(const Index& index, const Cuts& cuts);

// `count` intervals of near-equal work: cut i at floor(i*n/count), or at the ends (or rows) that
// make the largest interval smallest. None if the index cannot be cut into so many non-empty
// intervals.
//   near_equal({"i", 10}, 4) = {0, 2, 5, 7, 10}
std::optional<Cuts> near_equal(const Index& index, int64_t count);

// `cuts` of `from` at the same fractions of `to`'s extent; none where they are not legal there.
//   8 KV heads cut at {0, 2, 5, 8}, carried to 4096 columns: {0, 1024, 2560, 4096}
std::optional<Cuts> carry(const Cuts& cuts, int64_t from_extent, const Index& to);

// Whether no interval carries more than 2/(count+1) of the index's work.
bool is_balanced(const Index& index, const Cuts& cuts);

}  // namespace einsummable
