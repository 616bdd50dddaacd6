// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/tensor/interval.h"

namespace einsummable {

// Which keys each query row of an attention may see, before any additive mask: those of its own
// packed sequence, and of these, if causal, the ones up to its own position. Positions are those of
// whole tensors, so a block of rows or keys asks the same questions as the whole.
//   ends {3, 5}, causal: row 4 sees keys [3, 5)      causal, 2 rows, 5 keys: row 0 sees [0, 4)
struct VisibleKeys {
  std::vector<int64_t> ends = {};  // of the packed sequences, rising; empty: one sequence
  bool causal = false;
  int64_t rows = 0, keys = 0;  // whole extents; equal if there are ends

  int64_t offset() const { return keys - rows; }  // causal: row r sees keys up to r + offset
  std::vector<int64_t> starts() const;            // of the sequences: {0, 3} for ends {3, 5}
  Interval of_row(int64_t row) const;
  // How many (row, key) pairs of a block are visible.
  double pairs(Interval block_rows, Interval block_keys) const;
};

}  // namespace einsummable
