// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "einsummable/spec/signature.h"
#include "einsummable/tensor/tiling.h"

namespace einsummable {

// One cell of a join: the blocks it reads and the blocks it writes (Definition 3.5).
struct FunctionSpec {
  std::vector<Box> inputs, outputs;

  bool operator==(const FunctionSpec&) const = default;
};

// A join-agg spec (Definition 3.6) in product form: a signature and, for each of its indices, where
// it is cut. Its cells are all combinations of intervals, the first index outermost; they are
// listed only when asked for.
//   matmul i j, j k -> i k of 4 x 6 and 6 x 2, j cut at 3: two cells, one output block of two
//   partials
class JoinAggSpec {
 public:
  // Checks that the cuts are legal and that the output blocks tile; throws InternalError otherwise.
  JoinAggSpec(std::shared_ptr<const Signature> signature, std::vector<Cuts> cuts);

  const Signature& signature() const { return *signature_; }
  const std::shared_ptr<const Signature>& shared_signature() const { return signature_; }
  const std::vector<Cuts>& cuts() const { return cuts_; }

  int64_t cells() const;                  // function specifications; p or fewer
  int64_t partials(size_t output) const;  // m: cells that share each block of an output
  Tiling input(size_t input) const;       // the distinct non-empty input blocks
  Tiling output(size_t output) const;
  int64_t join_elements(size_t input) const;  // summed over all cells, checked

  // The intervals of one cell, an index each; and its blocks. 0 <= cell < cells().
  std::vector<Interval> intervals(int64_t cell) const;
  FunctionSpec cell(int64_t cell) const;

  // Which of the m partials of its output block a cell makes, 0 <= result < partials(output).
  int64_t partial_of_cell(size_t output, int64_t cell) const;

  bool operator==(const JoinAggSpec& other) const {
    return *signature_ == *other.signature_ && cuts_ == other.cuts_;
  }

 private:
  std::vector<bool> indices_of(const OperandMap& operand) const;

  std::shared_ptr<const Signature> signature_;
  std::vector<Cuts> cuts_;
};

// The operand's distinct blocks under these cuts; what JoinAggSpec::input and output give.
Tiling tiling_of(const OperandMap& operand, std::span<const Cuts> cuts);

// One line a cell, then how many partials each output block has:
//   cell 0  [0:1, 0:4] [0:4] -> [0:1]
//   output 0 merges 2
std::string text(const JoinAggSpec& spec);

}  // namespace einsummable
