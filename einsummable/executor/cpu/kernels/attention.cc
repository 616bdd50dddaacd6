// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/executor/cpu/kernels/attention_extents.h"
#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/rows.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"

namespace einsummable::cpu {
namespace {

enum Operand : size_t { kQ, kK, kV, kValue, kLse, kMask, kOperands };

// The memory of one call.
template <class T>
struct Tiles {
  T *queries, *scores, *values, *maximum, *sum, *keys, *block_values, *finite_values, *mask;

  Tiles(const AttentionExtents& e, Workspace& workspace)
      : queries(workspace.take<T>(e.tile_rows() * e.depth)),
        scores(workspace.take<T>(e.tile_rows() * e.padded_keys())),
        values(workspace.take<T>(e.tile_rows() * e.padded_values())),
        maximum(workspace.take<T>(e.tile_rows())),
        sum(workspace.take<T>(e.tile_rows())),
        keys(workspace.take<T>(e.tile_keys * e.depth)),
        block_values(workspace.take<T>(e.tile_keys * e.values)),
        finite_values(workspace.take<T>(e.tile_keys * e.values)),
        mask(workspace.take<T>(e.tile_keys)) {}

  static int64_t bytes(const AttentionExtents& e) {
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
  HeadAttention(const AttentionExtents& extents, const VisibleInterval& visibility, double scale,
                Tiles<T> tiles)
      : e_(extents), visibility_(visibility), scale_(static_cast<T>(scale)), tiles_(tiles) {}

  HeadView q, k, v, value, lse, mask;

  // All queries of `sequence`, which is or lies in one packed sequence.
  void run(Interval sequence) {
    for (int64_t begin = sequence.lo; begin < sequence.hi; begin += e_.tile_queries) {
      run_queries({begin, std::min(begin + e_.tile_queries, sequence.hi)});
    }
  }

 private:
  // The keys and the values that a tile of scores meets.
  struct KeyTile {
    StridedMatrix<const T> keys, values;
  };

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
      const KeyTile tile{matrix(k, keys, e_.depth, tiles_.keys),
                         matrix(v, keys, e_.values, tiles_.block_values)};
      if (visibility_.of(queries.lo).hi >= keys.hi) {
        run_tile(queries, keys, tile);
      } else {
        run_cut_tile(queries, keys, tile);
      }
    }
    finish(queries);
  }

  // A tile that causality cuts through: chunks of queries, each with the keys its last one sees.
  void run_cut_tile(Interval queries, Interval keys, const KeyTile& tile) {
    int64_t begin = queries.lo;
    while (begin < queries.hi && visibility_.of(begin).hi <= keys.lo) ++begin;
    for (; begin < queries.hi; begin += e_.chunk_queries) {
      const Interval chunk{begin, std::min(begin + e_.chunk_queries, queries.hi)};
      const Interval seen{keys.lo, std::min(keys.hi, visibility_.of(chunk.hi - 1).hi)};
      run_tile(chunk, seen, tile);
    }
  }

  void run_tile(Interval queries, Interval keys, KeyTile tile) {
    const int64_t first = (queries.lo - first_query_) * e_.group;
    const int64_t rows = queries.length() * e_.group, columns = keys.length();
    tile.keys.rows = tile.values.rows = columns;
    T* const scores = tiles_.scores + first * e_.padded_keys();
    T* const values = tiles_.values + first * e_.padded_values();
    score(rows, tiles_.queries + first * e_.depth, tile.keys, scores);
    if (mask.data != nullptr) add_mask(queries, keys, scores);
    const int64_t visible = std::min(visibility_.of(queries.lo).hi - keys.lo, columns);
    softmax_tile({scores, e_.padded_keys(), rows, columns, visible, e_.group,
                  tiles_.maximum + first, tiles_.sum + first, values, e_.padded_values()});
    if (e_.values == 0) return;
    const StridedMatrix<const T> weights{scores, rows, columns, e_.padded_keys(), 1};
    const StridedMatrix<T> out{values, rows, e_.values, e_.padded_values(), 1};
    if (all_finite(tile.values)) return blas_gemm(weights, tile.values, T{1}, out);
    add_visible(queries, keys, tile, visible, weights, out);
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

  static bool all_finite(const StridedMatrix<const T>& m) {
    const bool by_row = m.column_stride == 1 || m.columns == 1;
    const int64_t lines = by_row ? m.rows : m.columns, n = by_row ? m.columns : m.rows;
    const int64_t step = by_row ? m.row_stride : m.column_stride;
    for (int64_t i = 0; i < lines; ++i) {
      if (!cpu::all_finite(m.data + i * step, n)) return false;
    }
    return true;
  }

  // out += weights values, where some values are infinite or NaN: these are left out of the
  // product and added one by one to the rows that see them, however little they weigh there.
  void add_visible(Interval queries, Interval keys, const KeyTile& tile, int64_t visible,
                   const StridedMatrix<const T>& weights, const StridedMatrix<T>& out) {
    const int64_t width = tile.values.columns;
    T* const finite = tiles_.finite_values;
    for (int64_t i = 0; i < tile.values.rows; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        const T x = tile.values.at(i, j);
        finite[i * width + j] = std::isfinite(x) ? x : T{0};
      }
    }
    blas_gemm(weights, {finite, tile.values.rows, width, width, 1}, T{1}, out);
    for (int64_t i = 0; i < tile.values.rows; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        const T x = tile.values.at(i, j);
        if (std::isfinite(x)) continue;
        for (int64_t row = 0; row < out.rows; ++row) {
          if (i >= visible + row / e_.group) continue;
          const T weight = weights.at(row, i);
          if (weight == 0 && is_excluded(queries.lo, row, keys.lo + i, tile.keys, i)) continue;
          out.data[row * out.row_stride + j] += weight == 0 ? x : weight * x;
        }
      }
    }
  }

  // Whether the score of a row and a key is -inf; `row` counts from the first of query `query`.
  bool is_excluded(int64_t query, int64_t row, int64_t key, const StridedMatrix<const T>& keys,
                   int64_t key_row) const {
    const T* const q_row = tiles_.queries + ((query - first_query_) * e_.group + row) * e_.depth;
    T sum = 0;
    for (int64_t l = 0; l < e_.depth; ++l) sum += q_row[l] * keys.at(key_row, l);
    if (mask.data != nullptr) {
      const std::byte* at = mask.at(row % e_.group, query + row / e_.group, key);
      sum += static_cast<T>(load_element(mask.dtype, at));
    }
    return sum == -std::numeric_limits<T>::infinity();
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

  const AttentionExtents& e_;
  const VisibleInterval& visibility_;
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
  const AttentionExtents extents(blocks);
  const VisibleInterval visibility(options, extents);
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
  const AttentionExtents extents(blocks);
  return wide(blocks) ? Tiles<double>::bytes(extents) : Tiles<float>::bytes(extents);
}

void attention(const AttentionBlocks& blocks, const AttentionOptions& options,
               std::span<std::byte> workspace) {
  wide(blocks) ? run<double>(blocks, options, workspace) : run<float>(blocks, options, workspace);
}

}  // namespace einsummable::cpu
