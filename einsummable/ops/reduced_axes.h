// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/ops/operator.h"

namespace einsummable {

// Which axes of its only input a reduction aggregates over, from the attributes `axis` (an int, a
// list, or None for all) and `keepdims` (whether they stay, with extent 1).
class ReducedAxes {
 public:
  // Throws GraphError for an axis out of range or given twice.
  explicit ReducedAxes(const OperatorCall& call);

  const Shape& output_shape() const { return output_; }
  // Elements of the input that one element of the output is made of; checked.
  int64_t count() const;
  // "i0 i1 -> i0": every axis of the input has its index, and all may be cut anywhere.
  Signature signature() const;
  // Where the element of the output lies that takes up the element `x` of the input.
  void place(std::span<const int64_t> x, std::vector<int64_t>& y) const;

 private:
  Shape input_, output_;
  std::vector<bool> reduced_;
  bool keep_ = false;
};

// A random call for a reduction. `nothing_is_legal`: it has a value over no elements at all.
// `several`: `axis` may be a list.
struct ReductionSample {
  bool nothing_is_legal = true, several = true;

  Sample operator()(Random& random) const;
};

// The attributes of every reduction.
std::vector<AttributeInfo> reduction_attributes();

}  // namespace einsummable
