// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

// A plan as text, and back: the site of every cell, what is fetched from where, and for every
// operator and saved tensor that needs something moved its exchange program with one derivation an
// (aggregate, site).
//   physical 1
//   sites 2
//   partial_dtype f64            (where it is not what the operators state)
//   place "up" 0 1
//   fetch 0 site 1 [0:4, 0:2]
//   step op 1 "hidden"
//   | GPUS: 0, 1
//   | IN: t2.0.0 @ 0 (size: 16 B); ...
//   derive t2.0.1 @ 0 received 1
//   derive t2.0.0+t2.0.1 @ 0 from t2.0.0, t2.0.1
std::string text(const PhysicalPlan& plan);

// Reads a plan for a graph and specs. Everything that follows from specs and placement is made anew
// and compared. Throws PlanError with the line, or with what differs: a placement, a preamble, what
// is fetched. That the programs are valid is left to the verification of plans.
PhysicalPlan parse_physical_plan(std::string_view text, std::shared_ptr<const Graph> graph,
                                 std::vector<JoinAggSpec> specs);

}  // namespace einsummable
