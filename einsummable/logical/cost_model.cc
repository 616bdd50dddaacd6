// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/cost_model.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

OpCost proxy_of(const Operator& op, const JoinAggSpec& spec) {
  OpCost out;
  if (spec.signature().layout) return out;
  for (size_t i = 0; i < op.inputs().size(); ++i) {
    const int64_t join = spec.join_elements(i);
    out.join = checked_add(out.join, join);
    out.total.replicated =
        checked_add(out.total.replicated, std::max<int64_t>(0, join - op.inputs()[i].elements()));
  }
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    const int64_t more = spec.partials(o) - 1;
    if (more == 0) continue;
    out.aggregation =
        checked_add(out.aggregation, checked_multiply(more, op.outputs()[o].elements()));
    out.total.aggregations =
        checked_add(out.total.aggregations, checked_multiply(more, spec.output(o).blocks()));
  }
  out.total.main = checked_add(out.join, out.aggregation);
  return out;
}

}  // namespace

void refuse_costs(const GraphOp& op, const Error& reason) {
  throw PlanError(op.op->name() + " " + quote(op.name) + ": " + reason.what() +
                  "; a plan is of costs below 2^59 elements");
}

CostModel communication_proxy() {
  return {.op = proxy_of, .mismatch = [](const Edge& edge) { return Cost{elements(edge.read)}; }};
}

}  // namespace einsummable
