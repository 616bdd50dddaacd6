// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "einsummable/executor/cpu/kernels/attention.h"
#include "einsummable/executor/cpu/kernels/softmax_tile.h"
#include "einsummable/executor/cpu/kernels/workspace.h"
#include "einsummable/tensor/interval.h"

namespace einsummable::cpu {

// Scores are computed in tiles of at most this many rows, a row for every query and query head,
// and this many keys, so that a tile and what it meets stay in a core's L2 cache. Where causality
// cuts through a tile, it is taken in chunks of fewer rows.
inline constexpr int64_t kTileRows = 256, kTileKeys = 256, kChunkRows = 64;

// The extents of one KV head with its query heads, and of its tiles.
struct AttentionExtents {
  int64_t group, queries, keys, depth, values;  // depth is d, values is e
  int64_t tile_queries, chunk_queries, tile_keys;

  explicit AttentionExtents(const AttentionBlocks& b) {
    const auto extent = [](const StridedView& x, int64_t from_end) {
      return x.shape[x.shape.size() - static_cast<size_t>(from_end)];
    };
    const int64_t heads = extent(b.k, 3);
    group = heads == 0 ? 1 : extent(b.q, 3) / heads;
    ensure(group * heads == extent(b.q, 3), "query heads are a multiple of the others");
    queries = extent(b.q, 2);
    keys = extent(b.k, 2);
    depth = extent(b.q, 1);
    values = extent(b.v, 1);
    group = std::max<int64_t>(group, 1);
    tile_queries = std::clamp<int64_t>(kTileRows / group, 1, std::max<int64_t>(queries, 1));
    chunk_queries = std::max<int64_t>(kChunkRows / group, 1);
    tile_keys = std::clamp<int64_t>(kTileKeys, 1, std::max<int64_t>(keys, 1));
  }

  int64_t tile_rows() const { return tile_queries * group; }
  int64_t padded_values() const { return round_up(std::max<int64_t>(values, 1), kTileLanes); }
  int64_t padded_keys() const { return round_up(tile_keys, kTileLanes); }
};

// The keys a query sees, in the block's own positions: those of [lo, hi). Both never fall.
class VisibleInterval {
 public:
  VisibleInterval(const AttentionOptions& options, const AttentionExtents& extents)
      : options_(options), keys_(extents.keys) {}

  Interval of(int64_t query) const {
    const int64_t position = options_.query_begin + query;
    const Interval segment = segment_of(position);
    int64_t hi = segment.hi;
    if (options_.causal == Causal::yes) {
      hi = std::min(hi, position + options_.key_length - options_.query_length + 1);
    }
    return {local(segment.lo), std::max(local(segment.lo), local(hi))};
  }
  // The first query after `query` that belongs to another packed sequence.
  int64_t next_sequence(int64_t query, int64_t queries) const {
    if (options_.ends.empty()) return queries;
    const int64_t end = segment_of(options_.query_begin + query).hi;
    return std::min(queries, end - options_.query_begin);
  }

 private:
  Interval segment_of(int64_t position) const {
    const auto ends = options_.ends;
    if (ends.empty()) return {0, options_.key_length};
    const auto end = std::ranges::upper_bound(ends, position);
    ensure(end != ends.end(), "a query beyond the last packed sequence");
    return {end == ends.begin() ? 0 : *(end - 1), *end};
  }
  int64_t local(int64_t key) const {
    return std::clamp<int64_t>(key - options_.key_begin, 0, keys_);
  }

  const AttentionOptions& options_;
  int64_t keys_;
};

}  // namespace einsummable::cpu
