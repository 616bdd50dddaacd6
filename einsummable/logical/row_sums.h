// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/logical/cost.h"
#include "einsummable/tensor/interval.h"

namespace einsummable {

// Sums of costs for every state of a variable, and for every combination of states of some others:
// rows of a table, an axis for each of the others and the variable's own states innermost, that is
// the sum of terms of any strides. Nothing is stored of it.
struct RowSums {
  struct Term {
    const Cost* base;
    int64_t own_stride;
    PerAxis strides;  // of the others; 0 where it does not depend on one
  };

  explicit RowSums(int64_t own_states) : own(own_states) {}

  // The least of each row to which `more`, a cost for each state, is added.
  std::vector<Cost> minima(std::span<const Cost> more) const;
  // For each state, the least over all rows to which `more` is added.
  std::vector<Cost> lowest(std::span<const Cost> more) const;
  PerAxis row_major() const;  // strides of a table over the others
  // Appends all that the sums depend on.
  void add_to(std::vector<int64_t>& key) const;

  int64_t own;      // states of the variable
  PerAxis extents;  // states of the others
  std::vector<Term> terms;

 private:
  // A term along the longest axis.
  struct Line {
    const Cost* base;
    int64_t own_stride, step;
  };

  size_t longest() const;  // axis
  bool lines_share() const;
  std::vector<int64_t> mains_of(const std::vector<Line>& varying, int64_t rows) const;
  template <class Visit>
  void for_each_line(std::span<const Cost> more, const Visit& visit) const;
};

}  // namespace einsummable
