// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "einsummable/logical/candidates.h"
#include "einsummable/logical/min_sum.h"

namespace einsummable {

// Logical optimisation as a min-sum problem. The first variables are the operators; any others
// share pair tables with operators alone.
struct PlanProblem {
  using Picks = std::shared_ptr<const std::vector<uint32_t>>;

  // A tensor that variable `b` of a pair table reads, and the elements of it that each state of `b`
  // has at one site: where the pair costs anything, they are a copy of what `a` has.
  struct Copy {
    TensorId tensor;
    std::shared_ptr<const std::vector<int64_t>> elements;
  };

  std::vector<std::vector<Cost>> unary;
  std::vector<PairTable> pairs;
  std::vector<Copy> copies;  // a pair table each
  std::vector<Picks> picks;  // by operator, which of its candidates each state is

  size_t ops() const { return picks.size(); }
};

// That of the proxy. Candidates stay that need less memory than those that cost less.
PlanProblem proxy_problem(const Candidates& candidates);

// The elements of the largest block that a cell reads of an input, or makes of an output.
int64_t largest_input_block(const JoinAggSpec& spec, size_t input);
int64_t largest_output_block(const JoinAggSpec& spec, size_t output);

// What the operators' states cost together; other variables take their best.
Cost cost_of(const PlanProblem& problem, std::span<const uint32_t> states);

}  // namespace einsummable
