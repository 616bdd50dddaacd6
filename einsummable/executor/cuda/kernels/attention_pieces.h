// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "einsummable/ops/visible_keys.h"

namespace einsummable::cuda {

// A part of a block of attention that is one call of the library: queries that see all of its keys;
// or, if causal, of which query i sees those up to i + keys - queries. Positions are the block's.
// The same again `sequences` times, each `apart` rows after the one before.
struct AttentionPiece {
  int64_t first_query = 0, queries = 0;
  int64_t first_key = 0, keys = 0;
  bool causal = false;
  int64_t sequences = 1, apart = 0;

  bool operator==(const AttentionPiece&) const = default;
};

// A block of queries and keys, in positions of the whole, as pieces: those of each packed sequence,
// equally long ones that follow one another as one. Nothing if a query sees no key.
//   ends {3, 6, 8}, queries and keys [0, 8)   two sequences of 3, 3 rows apart; one of 2
//   causal, queries [4, 8), keys [0, 6)       queries 0 and 1 of 6 keys, causal; 2 and 3 of all 6
std::optional<std::vector<AttentionPiece>> pieces_of(const VisibleKeys& visible, Interval queries,
                                                     Interval keys);

}  // namespace einsummable::cuda
