// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "einsummable/logical/candidates.h"

namespace einsummable {

// Section 4.3 read literally: over the listed cells of specs and sets of boxes.
class Oracle {
 public:
  explicit Oracle(const Candidates& candidates);

  int64_t op_cost(OpId op, uint32_t pick) const { return op_[op.index()][pick]; }
  int64_t edge_cost(size_t edge, uint32_t from, uint32_t to) const { return edge_[edge][from][to]; }
  int64_t cost(const std::vector<uint32_t>& pick) const;

  // The least cost of all picks for `ops` where the others have those of `pick`; only what an
  // operator of `ops` has a part in counts, and only edges between `ops` and what `fixed` names.
  int64_t best(const std::vector<OpId>& ops, std::vector<uint32_t> pick,
               const std::vector<bool>& fixed) const;
  int64_t cost_of_part(const std::vector<OpId>& ops, const std::vector<uint32_t>& pick,
                       const std::vector<bool>& fixed) const;

  // How many combinations of candidates there are, as a double.
  double combinations(const std::vector<OpId>& ops) const;

 private:
  const Candidates& candidates_;
  std::vector<std::vector<int64_t>> op_;
  std::vector<std::vector<std::vector<int64_t>>> edge_;
};

std::vector<OpId> all_ops(const Graph& graph);

}  // namespace einsummable
