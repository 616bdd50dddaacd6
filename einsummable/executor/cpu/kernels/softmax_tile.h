// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace einsummable::cpu {

// One step of blocked attention, between the product that gives scores and the product with the
// values: a tile of `rows` x `columns` scores, and what is known of every row so far.
template <class T>
struct SoftmaxTile {
  T* scores = nullptr;        // in: scores; out: exp(score - maximum)
  int64_t scores_stride = 0;  // a multiple of kTileLanes
  int64_t rows = 0, columns = 0;
  // Row i sees its first min(columns, first_visible + i / group) columns, at least one; the others
  // are set to 0 unread.
  int64_t first_visible = 0, group = 1;
  T* maximum = nullptr;       // of every row, -inf before its first tile
  T* sum = nullptr;           // of exp(score - maximum)
  T* values = nullptr;        // rows x values_stride, weighted by exp(score - maximum)
  int64_t values_stride = 0;  // a multiple of kTileLanes
};

// Rows of a tile are padded to a multiple of this many elements.
inline constexpr int64_t kTileLanes = 16;

// Raises the maxima to those of this tile, rescales sums and values to them, turns scores into
// weights and adds them to the sums. A NaN in what a row sees makes all its weights that count NaN.
void softmax_tile(const SoftmaxTile<float>& tile);
void softmax_tile(const SoftmaxTile<double>& tile);

// Divides the values of every row by its sum; 0 for a row that saw nothing.
void normalise_tile(const SoftmaxTile<float>& tile);
void normalise_tile(const SoftmaxTile<double>& tile);

}  // namespace einsummable::cpu
