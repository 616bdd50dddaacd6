// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

// The elements of a box from number `first` to before `last`, counted row-major, as boxes in that
// order: at most two an axis and one, and one alone where they are slices along the first axis of
// more than one element.
//   of [0:2, 0:4], elements 2 to 8: [0:1, 2:4], [1:2, 0:4]
std::vector<Box> row_major_range(const Box& box, int64_t first, int64_t last);

// What the pieces of a region are multiples of, in elements: the slices of its boxes along the
// outermost axis that gives enough of them. No slice cuts through an axis that some component of
// `partial` (none: the region is complete) lacks, nor one along which the boxes' extents differ.
// All elements, where that leaves none.
//   [0:128, 0:4096] is cut in rows of 4096, and so is [0:1, 0:128, 0:4096]
int64_t grain_elements(const std::vector<Box>& boxes, const PartialType* partial);

// A step whose regions are pieces, as its program splits their atoms: a region a piece, in the
// order of the elements; the program expanded, to which the derivations refer. It refers to the
// step itself where nothing is split.
class StepInPieces {
 public:
  // The step is kept by reference.
  explicit StepInPieces(const ExchangeStep& step);

  const ExchangeStep& operator*() const { return cut_ ? *cut_ : *step_; }
  const ExchangeStep* operator->() const { return &**this; }

 private:
  const ExchangeStep* step_;
  std::optional<ExchangeStep> cut_;
};

}  // namespace einsummable
