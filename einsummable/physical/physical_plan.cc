// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/physical_plan.h"

namespace einsummable {

PartialType PhysicalPlan::partial(OpId op, size_t output) const {
  return with_sums_in(graph->op(op).op->partial(output), partial_dtype);
}

PartialType PhysicalPlan::partial(TensorId tensor) const {
  const GraphTensor& of = graph->tensor(tensor);
  return partial(of.producer, static_cast<size_t>(of.output));
}

}  // namespace einsummable
