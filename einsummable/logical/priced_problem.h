// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "einsummable/logical/exchange_time.h"
#include "einsummable/logical/plan_problem.h"

namespace einsummable {

// A PlanProblem in which memory has a price: cost + price * bytes, where bytes add up over
// operators and edges. They are, at the site that has most of each: the blocks of what is given
// that an operator reads, the blocks that it makes (of partial results where they are), and copies.
// Each tensor counts with a weight, the share of it that is in memory when memory is fullest.
class PricedProblem {
 public:
  // Where the partial results of a block meet: where they are, as a site may read another's memory;
  // all of them at one site, as naive programs have it; or a part at each.
  enum class Merging : uint8_t { in_place, at_one_site, spread };

  // Keeps the candidates by reference; float sums travel in `partial_dtype`, if there is one.
  PricedProblem(const Candidates& candidates, PlanProblem problem,
                std::optional<DType> partial_dtype, Merging merging);

  const PlanProblem& plain() const { return problem_; }

  using Weights = std::vector<double>;  // of each tensor, 0 to 1

  // Weighted bytes of an assignment.
  double bytes(std::span<const uint32_t> states, const Weights& weights) const;

  struct Tables {
    std::vector<std::vector<Cost>> unary;
    std::vector<PairTable> pairs;
  };
  // For each operator the price of a byte of what it reads and makes; the costs are (cost + price *
  // bytes, cost, aggregations).
  Tables priced(std::span<const double> prices, const Weights& weights) const;
  // Beyond this price costs may not fit in 64 bits.
  double largest_price() const;
  // Bytes alone, cost deciding between equals: (bytes * byte_scale(), cost, aggregations).
  Tables bytes_alone(const Weights& weights) const;
  double byte_scale() const;

 private:
  // The largest blocks of an operator's states.
  struct Blocks {
    std::vector<std::vector<int64_t>> read, made;  // [operand][state], elements
    std::vector<std::vector<int64_t>> partials;    // [output][state], of each block
  };
  struct Own {
    std::shared_ptr<const Blocks> blocks;
    std::vector<ElementBytes> made;  // of each output
  };

  template <class Combine>
  Tables combined(const Combine& combine, std::span<const double> prices,
                  const Weights& weights) const;
  std::vector<double> op_bytes(size_t op, const Weights& weights) const;
  double copy_bytes(const PlanProblem::Copy& copy, const Weights& weights) const;  // an element
  std::shared_ptr<const Blocks> blocks_of(OpId op) const;

  const Candidates& candidates_;
  PlanProblem problem_;
  Merging merging_;
  std::vector<Own> own_;         // of each operator
  std::vector<double> readers_;  // of each tensor
  double most_bytes_ = 1;        // the sum of the most bytes in each table, with weights of 1
};

}  // namespace einsummable
