// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/reduced_axes.h"

#include "einsummable/base/checked.h"

namespace einsummable {

ReducedAxes::ReducedAxes(const OperatorCall& call)
    : input_(call.inputs[0].shape()),
      reduced_(input_.size(), false),
      keep_(call.attributes.boolean("keepdims")) {
  for (int64_t axis : normalise_axes(call.attributes, "axis", call.inputs[0].rank())) {
    reduced_[static_cast<size_t>(axis)] = true;
  }
  for (size_t axis = 0; axis < input_.size(); ++axis) {
    if (!reduced_[axis]) output_.push_back(input_[axis]);
    if (reduced_[axis] && keep_) output_.push_back(1);
  }
}

int64_t ReducedAxes::count() const {
  int64_t count = 1;
  for (size_t axis = 0; axis < input_.size(); ++axis) {
    if (reduced_[axis]) count = checked_multiply(count, input_[axis]);
  }
  return count;
}

Signature ReducedAxes::signature() const {
  Signature signature;
  signature.inputs.resize(1);
  signature.outputs.resize(1);
  for (size_t axis = 0; axis < input_.size(); ++axis) {
    signature.indices.push_back({.name = "i" + std::to_string(axis), .extent = input_[axis]});
    const AxisMap follows = {.terms = {{static_cast<int32_t>(axis)}}, .extent = input_[axis]};
    signature.inputs[0].axes.push_back(follows);
    if (!reduced_[axis]) signature.outputs[0].axes.push_back(follows);
    if (reduced_[axis] && keep_) signature.outputs[0].axes.push_back({.extent = 1});
  }
  return signature;
}

void ReducedAxes::place(std::span<const int64_t> x, std::vector<int64_t>& y) const {
  y.clear();
  for (size_t axis = 0; axis < reduced_.size(); ++axis) {
    if (!reduced_[axis]) y.push_back(x[axis]);
    if (reduced_[axis] && keep_) y.push_back(0);
  }
}

Sample ReductionSample::operator()(Random& random) const {
  Shape shape = random_shape(random, random_below(random, 5));
  const auto rank = std::ssize(shape);
  Attribute axis = None{};
  std::vector<int64_t> axes;
  if (several && random() % 2) {
    for (int64_t i = 0; i < rank; ++i) {
      if (random() % 2) axes.push_back(random() % 2 ? i : i - rank);
    }
    axis = axes;
  } else if (rank > 0 && random() % 2) {
    axes = {random_below(random, 2 * rank) - rank};
    axis = axes[0];
  }
  if (!nothing_is_legal) std::ranges::replace(shape, 0, 2);
  return {{{tensor_type(DType::f32, shape)}, {{"axis", axis}, {"keepdims", random() % 2 == 0}}}};
}

std::vector<AttributeInfo> reduction_attributes() {
  return {{"axis", AttributeKind::integers}, {"keepdims", AttributeKind::boolean, false}};
}

}  // namespace einsummable
