// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/min_sum.h"

namespace einsummable {

// The candidates of every operator that a best plan may need, and the tables of the min-sum problem
// over them: one variable an operator, one table an edge.
//
// A tiling that the other end of its edge does not offer is unmatched: it pays for the edge
// whatever that end does. Candidate A makes B superfluous if A, and all edges on which they differ
// and B is matched, cost no more than B. Dropping B may leave other tilings unmatched, so this goes
// on until nothing changes. Operators in equal surroundings share the work, as layers of a model
// are.
class StateSpace {
 public:
  // By memory as well: A makes no B superfluous that has a smaller block, less that is partial, or
  // a tiling that matches where A's does not. As what plans need does not add up, B may still be of
  // use: of up to kFew candidates of an operator all stay.
  enum class Dominance : uint8_t { cost, cost_and_memory };
  static constexpr size_t kFew = 64;

  // All candidates of the operator `open` stay, if it is valid.
  explicit StateSpace(const Candidates& candidates, OpId open = {},
                      Dominance dominance = Dominance::cost);

  // Which of the operator's candidates each state is, rising.
  const std::vector<uint32_t>& kept(OpId op) const { return *states_[op.index()].kept; }
  std::shared_ptr<const std::vector<uint32_t>> shared_kept(OpId op) const {
    return states_[op.index()].kept;
  }
  size_t size() const;  // states of all operators together

  const std::vector<std::vector<Cost>>& unary() const { return unary_; }
  const std::vector<PairTable>& pairs() const { return pairs_; }

 private:
  // Operators with the same candidates left share an id.
  struct States {
    int32_t id = -1;
    std::shared_ptr<const std::vector<uint32_t>> kept;
  };

  std::vector<int64_t> surroundings(OpId op) const;
  std::vector<uint32_t> undominated(OpId op);
  const std::vector<int64_t>& memory_of(OpId op, uint32_t pick);
  enum class End : uint8_t { producer, consumer };  // of an edge

  std::vector<TilingId> offered(size_t edge, End by) const;
  TilingId tiling_at(size_t edge, End end, const Candidate& candidate) const;
  States intern(const CandidateSet* set, std::vector<uint32_t> kept);
  bool reduce();
  void make_tables();

  const Candidates& candidates_;
  OpId open_;
  Dominance dominance_;
  std::map<const CandidateSet*, std::vector<std::vector<int64_t>>> memory_;  // of each candidate
  std::vector<std::vector<size_t>> in_edges_, out_edges_;                    // of each operator
  std::vector<States> states_;
  std::map<std::pair<const CandidateSet*, std::vector<uint32_t>>, States> interned_;
  std::vector<std::vector<Cost>> unary_;
  std::vector<PairTable> pairs_;
};

}  // namespace einsummable
