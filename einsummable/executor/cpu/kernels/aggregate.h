// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cpu/kernels/elementwise.h"
#include "einsummable/tensor/partial_type.h"

namespace einsummable::cpu {

// Merges `parts` partial results of one block, from the first to the last (the aggregation of
// Definition 3.7), and perhaps finishes it. Float16 and bfloat16 parts are merged in float32 and
// rounded once.
class Aggregation {
 public:
  // `finished` is the dtype of the output if the merged block becomes a finished one: component 0,
  // scaled. `reads` are every component of part 0, then of part 1, ...; they need no data yet.
  Aggregation(const PartialType& partial, int32_t parts, std::optional<DType> finished,
              std::span<const StridedView> reads);

  // Bytes of workspace that `run` needs, for blocks of the shapes that `reads` had.
  int64_t workspace_bytes() const;

  // `writes` are the finished block, else every component. Allocates nothing.
  void run(std::span<const StridedView> reads, std::span<const StridedView> writes,
           std::span<std::byte> workspace) const;

 private:
  void run_weighted(std::span<const StridedView> reads, std::span<const StridedView> writes,
                    std::span<std::byte> workspace) const;

  PartialType partial_;
  size_t parts_;
  bool finishes_;
  int64_t rows_ = 0;  // of a weighted mean: how many weights a part has
  DType weight_dtype_ = DType::f32;
  std::vector<Elementwise> kernels_;  // one; of a weighted mean two, for weights and for values
};

}  // namespace einsummable::cpu
