// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/softmax_tile.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/executor/cpu/kernels/workspace.h"
#include "einsummable/tensor/interval.h"

namespace einsummable::cpu {
namespace {

enum Operand : size_t { kQ, kK, kV, kValue, kLse, kMask, kOperands };

// Scores are computed in tiles of at most this many rows, a row for every query and query head,
// and this many keys, so that a tile and what it meets stay in a core's L2 cache. Where causality
// cuts through a tile, it is taken in chunks of fewer rows.
constexpr int64_t kTileRows = 256, kTileKeys = 256, kChunkRows = 64;

struct Extents {
  int64_t group, queries, keys, depth, values;  // depth is d, values is e
  int64_t tile_queries, chunk_queries, tile_keys;

  explicit Extents(const AttentionBlocks& b) {
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
class Visibility {
 public:
  Visibility(const AttentionOptions& options, const Extents& extents)
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

// The memory of one call.
template <class T>
struct Tiles {
  T *queries, *scores, *values, *maximum, *sum, *keys, *block_values, *finite_values, *mask;

  Tiles(const Extents& e, Workspace& workspace)
      : queries(workspace.take<T>(e.tile_rows() * e.depth)),
        scores(workspace.take<T>(e.tile_rows() * e.padded_keys())),
        values(workspace.take<T>(e.tile_rows() * e.padded_values())),
        maximum(workspace.take<T>(e.tile_rows())),
        sum(workspace.take<T>(e.tile_rows())),
        keys(workspace.take<T>(e.tile_keys * e.depth)),
        block_values(workspace.take<T>(e.tile_keys * e.values)),
        finite_values(workspace.take<T>(e.tile_keys * e.values)),
        mask(workspace.take<T>(e.tile_keys)) {}

  static int64_t bytes(const Extents& e) {
    int64_t total = 0;
    for (int64_t count :
         {e.tile_rows() * e.depth, e.tile_rows() * e.padded_keys(),
          e.tile_rows() * e.padded_values(), e.tile_rows(), e.tile_rows(), e.tile_keys * e.depth,
          e.tile_keys * e.values, e.tile_keys * e.values, e.tile_keys}) {
      total += workspace_array(count, sizeof(T));
    }
    return total;
  }
};

// An operand of one KV head: [group, queries, d], [keys, d] and so on.
struct HeadView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  int64_t head_stride = 0, row_stride = 0, element_stride = 1;

  std::byte* at(int64_t head, int64_t row, int64_t element = 0) const {
    return data +
           (head * head_stride + row * row_stride + element * element_stride) * size_of(dtype);
  }
};

template <class T>
class HeadAttention {
 public:
  HeadAttention(const Extents& extents, const Visibility& visibility, double scale, Tiles<T> tiles)
      : e_(extents), visibility_(visibility), scale_(static_cast<T>(scale)), tiles_(tiles) {}

  HeadView q, k, v, value, lse, mask;

  // All queries of `sequence`, which is or lies in one packed sequence.
  void run(Interval sequence) {
    for (int64_t begin = sequence.lo; begin < sequence.hi; begin += e_.tile_queries) {
      run_queries({begin, std::min(begin + e_.tile_queries, sequence.hi)});
    }
  }

 private:
  // All keys for the queries of one tile, which belong to one packed sequence.
  void run_queries(Interval queries) {
    gather_queries(queries);
    const int64_t rows = queries.length() * e_.group;
    std::fill_n(tiles_.maximum, rows, -std::numeric_limits<T>::infinity());
    std::fill_n(tiles_.sum, rows, T{0});
    std::fill_n(tiles_.values, rows * e_.padded_values(), T{0});
    first_query_ = queries.lo;
    const Interval all{visibility_.of(queries.lo).lo, visibility_.of(queries.hi - 1).hi};
    for (int64_t key = all.lo; key < all.hi; key += e_.tile_keys) {
      const Interval keys{key, std::min(key + e_.tile_keys, all.hi)};
      const auto key_tile = matrix(k, keys, e_.depth, tiles_.keys);
      const auto value_tile = matrix(v, keys, e_.values, tiles_.block_values);
      if (visibility_.of(queries.lo).hi >= keys.hi) {
        run_tile(queries, keys, key_tile, value_tile);
      } else {
        run_cut_tile(queries, keys, key_tile, value_tile);
      }
    }
    finish(queries);
  }

  // A tile that causality cuts through: chunks of queries, each with the keys its last one sees.
  void run_cut_tile(Interval queries, Interval keys, const StridedMatrix<const T>& key_tile,
                    const StridedMatrix<const T>& value_tile) {
    int64_t begin = queries.lo;
    while (begin < queries.hi && visibility_.of(begin).hi <= keys.lo) ++begin;
    for (; begin < queries.hi; begin += e_.chunk_queries) {
      const Interval chunk{begin, std::min(begin + e_.chunk_queries, queries.hi)};
      const Interval seen{keys.lo, std::min(keys.hi, visibility_.of(chunk.hi - 1).hi)};
      run_tile(chunk, seen, key_tile, value_tile);
    }
  }

  void run_tile(Interval queries, Interval keys, StridedMatrix<const T> key_tile,
                StridedMatrix<const T> value_tile) {
    const int64_t first = (queries.lo - first_query_) * e_.group;
    const int64_t rows = queries.length() * e_.group, columns = keys.length();
    T* const scores = tiles_.scores + first * e_.padded_keys();
    T* const values = tiles_.values + first * e_.padded_values();
    key_tile.rows = value_tile.rows = columns;
    score(rows, tiles_.queries + first * e_.depth, key_tile, scores);
    if (mask.data != nullptr) add_mask(queries, keys, scores);
    const int64_t visible = visibility_.of(queries.lo).hi - keys.lo;
    softmax_tile({scores, e_.padded_keys(), rows, columns, std::min(visible, columns), e_.group,
                  tiles_.maximum + first, tiles_.sum + first, values, e_.padded_values()});
    if (e_.values == 0) return;
    const StridedMatrix<const T> weights{scores, rows, columns, e_.padded_keys(), 1};
    const StridedMatrix<T> out{values, rows, e_.values, e_.padded_values(), 1};
    if (visible < columns && !all_finite(value_tile, visible)) {
      return add_visible(weights, value_tile, visible, out);
    }
    blas_gemm(weights, value_tile, T{1}, out);
  }

  void score(int64_t rows, const T* queries, const StridedMatrix<const T>& keys, T* scores) const {
    if (e_.depth == 0) {
      std::fill_n(scores, rows * e_.padded_keys(), T{0});
      return;
    }
    blas_gemm({queries, rows, e_.depth, e_.depth, 1},
              {keys.data, keys.columns, keys.rows, keys.column_stride, keys.row_stride}, T{0},
              {scores, rows, keys.rows, e_.padded_keys(), 1});
  }

  // The rows of one head that a tile reads: in place if BLAS can address them, else copied.
  StridedMatrix<const T> matrix(const HeadView& x, Interval keys, int64_t width, T* copy) const {
    const int64_t n = keys.length();
    if (x.dtype == kDTypeOf<T> && blas_layout(n, width, x.row_stride, x.element_stride)) {
      return {reinterpret_cast<const T*>(x.at(0, keys.lo)), n, width, x.row_stride,
              x.element_stride};
    }
    for (int64_t i = 0; i < n; ++i) {
      load_row(x.dtype, x.at(0, keys.lo + i), x.element_stride, width, copy + i * width);
    }
    return {copy, n, width, width, 1};
  }

  void gather_queries(Interval queries) {
    T* row = tiles_.queries;
    for (int64_t i = queries.lo; i < queries.hi; ++i) {
      for (int64_t head = 0; head < e_.group; ++head, row += e_.depth) {
        load_row(q.dtype, q.at(head, i), q.element_stride, e_.depth, row);
        for (int64_t j = 0; j < e_.depth; ++j) row[j] *= scale_;
      }
    }
  }

  void add_mask(Interval queries, Interval keys, T* row) {
    for (int64_t i = queries.lo; i < queries.hi; ++i) {
      for (int64_t head = 0; head < e_.group; ++head, row += e_.padded_keys()) {
        if (head == 0 || mask.head_stride != 0) {
          load_row(mask.dtype, mask.at(head, i, keys.lo), mask.element_stride, keys.length(),
                   tiles_.mask);
        }
        for (int64_t j = 0; j < keys.length(); ++j) row[j] += tiles_.mask[j];
      }
    }
  }

  static bool all_finite(const StridedMatrix<const T>& m, int64_t first_row) {
    T sum = 0;  // of zeros, or NaN
    for (int64_t i = first_row; i < m.rows; ++i) {
      for (int64_t j = 0; j < m.columns; ++j) {
        sum += m.data[i * m.row_stride + j * m.column_stride] * T{0};
      }
    }
    return sum == 0;
  }

  // out += weights values, where the weights of what a row does not see are 0 but values from row
  // `first` on may be infinite or NaN: those are left out of the product and added one by one.
  void add_visible(const StridedMatrix<const T>& weights, const StridedMatrix<const T>& values,
                   int64_t first, const StridedMatrix<T>& out) {
    const auto at = [&](int64_t i, int64_t j) {
      return values.data[i * values.row_stride + j * values.column_stride];
    };
    T* const finite = tiles_.finite_values;
    for (int64_t i = 0; i < values.rows; ++i) {
      for (int64_t j = 0; j < values.columns; ++j) {
        const bool keep = i < first || std::isfinite(at(i, j));
        finite[i * values.columns + j] = keep ? at(i, j) : T{0};
      }
    }
    blas_gemm(weights, {finite, values.rows, values.columns, values.columns, 1}, T{1}, out);
    for (int64_t i = first; i < values.rows; ++i) {
      for (int64_t j = 0; j < values.columns; ++j) {
        if (std::isfinite(at(i, j))) continue;
        for (int64_t r = 0; r < out.rows; ++r) {
          if (i >= first + r / e_.group) continue;
          out.data[r * out.row_stride + j] += weights.data[r * weights.row_stride + i] * at(i, j);
        }
      }
    }
  }

  void finish(Interval queries) {
    const int64_t stride = e_.padded_values();
    normalise_tile(SoftmaxTile<T>{.rows = queries.length() * e_.group,
                                  .sum = tiles_.sum,
                                  .values = tiles_.values,
                                  .values_stride = stride});
    int64_t row = 0;
    for (int64_t i = queries.lo; i < queries.hi; ++i) {
      for (int64_t head = 0; head < e_.group; ++head, ++row) {
        store_row(tiles_.values + row * stride, e_.values, value.dtype, value.at(head, i),
                  value.element_stride);
        if (lse.data == nullptr) continue;
        const T log = tiles_.maximum[row] + std::log(tiles_.sum[row]);
        store_row(&log, 1, lse.dtype, lse.at(head, i), 1);
      }
    }
  }

  const Extents& e_;
  const Visibility& visibility_;
  T scale_;
  Tiles<T> tiles_;
  int64_t first_query_ = 0;
};

// Where the operands of one KV head lie, and how far they move to the next.
struct Layout {
  StridedLoop<kOperands> heads;
  std::array<HeadView, kOperands> views;

  Layout(const AttentionBlocks& b, int64_t group) {
    const size_t batch = b.q.shape.size() - 3;
    // The strides of an operand by the axes batch.., heads, rows, elements; 0 for what it lacks.
    std::array<std::array<int64_t, kMaxAxes>, kOperands> strides{};
    const auto add = [&](Operand operand, const StridedView& x, size_t lacking) {
      const size_t skip = batch + 3 - lacking - x.shape.size();
      for (size_t i = 0; i < x.shape.size(); ++i) {
        strides[operand][i + skip] = x.shape[i] == 1 ? 0 : x.strides[i];
      }
      views[operand] = {x.data, x.dtype, strides[operand][batch], strides[operand][batch + 1],
                        strides[operand][batch + 2]};
    };
    ensure(b.q.shape.size() >= 3 && batch + 3 <= kMaxAxes, "attention of three axes or more");
    add(kQ, b.q, 0);
    add(kK, b.k, 0);
    add(kV, b.v, 0);
    add(kValue, b.value, 0);
    if (b.lse) add(kLse, *b.lse, 1);
    if (b.mask) add(kMask, *b.mask, 0);
    for (size_t axis = 0; axis <= batch; ++axis) {
      std::array<int64_t, kOperands> steps{};
      for (size_t i = 0; i < kOperands; ++i) {
        const bool grouped = axis == batch && i != kK && i != kV;
        steps[i] = strides[i][axis] * (grouped ? group : 1);
      }
      heads.add(axis == batch ? b.k.shape[axis] : b.q.shape[axis], steps);
    }
  }
};

template <class T>
void run(const AttentionBlocks& blocks, const AttentionOptions& options,
         std::span<std::byte> bytes) {
  const Extents extents(blocks);
  const Visibility visibility(options, extents);
  Workspace workspace(bytes);
  HeadAttention<T> head(extents, visibility, options.scale, Tiles<T>(extents, workspace));
  const Layout layout(blocks, extents.group);
  const auto run_heads = [&](Interval sequence) {
    layout.heads.run([&](const std::array<int64_t, kOperands>& at) {
      const auto view = [&](Operand operand) {
        HeadView x = layout.views[operand];
        if (x.data != nullptr) x.data += at[operand] * size_of(x.dtype);
        return x;
      };
      head.q = view(kQ);
      head.k = view(kK);
      head.v = view(kV);
      head.value = view(kValue);
      head.lse = view(kLse);
      head.mask = view(kMask);
      head.run(sequence);
    });
  };
  // Sequence by sequence, so that the heads of short ones, which may lie interleaved, share caches.
  for (int64_t begin = 0; begin < extents.queries;) {
    const int64_t end = visibility.next_sequence(begin, extents.queries);
    run_heads({begin, end});
    begin = end;
  }
}

bool wide(const AttentionBlocks& b) {
  return b.q.dtype == DType::f64 || b.k.dtype == DType::f64 || b.v.dtype == DType::f64;
}

}  // namespace

int64_t attention_workspace_bytes(const AttentionBlocks& blocks, const AttentionOptions&) {
  const Extents extents(blocks);
  return wide(blocks) ? Tiles<double>::bytes(extents) : Tiles<float>::bytes(extents);
}

void attention(const AttentionBlocks& blocks, const AttentionOptions& options,
               std::span<std::byte> workspace) {
  wide(blocks) ? run<double>(blocks, options, workspace) : run<float>(blocks, options, workspace);
}

}  // namespace einsummable::cpu
