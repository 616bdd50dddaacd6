// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"

namespace einsummable {

// One kind of check: how many things it looked at, and the first that failed.
struct Check {
  std::string name;
  int64_t count = 0;
  double seconds = 0;
  std::string detail = {};  // empty: all hold
  std::string note = {};    // what else it found
};

struct VerifyReport {
  std::vector<Check> checks;

  bool ok() const {
    for (const Check& check : checks) {
      if (!check.detail.empty()) return false;
    }
    return true;
  }
};

// Proves a task graph correct from its plan alone, on every compile:
//   tiling             every spec's output blocks tile their tensors (Definition 3.6)
//   closure            every exchange program is valid (Definition 5.5), by the plan's derivations,
//                      and aggregates nothing but partial results of one region
//   memory             every buffer lies in its site's arena, and every operand in its buffer
//   single_assignment  every element that is read was written, once, by a task that ended before
//   races              no two tasks touch the same memory unordered, one of them writing
//   provenance         every operand of a kernel, and every saved tensor, is exactly the block it
//                      stands for, with each partial result merged once
// `examine` reports; `verify` throws InternalError with the first failure.
VerifyReport examine(const TaskGraph& graph, const Traits& traits,
                     const Interruption& interruption = {});
// Tiling and closure alone: what can be said of a plan that is not lowered.
VerifyReport examine(const PhysicalPlan& plan, const Interruption& interruption = {});
VerifyReport verify(const TaskGraph& graph, const Traits& traits,
                    const Interruption& interruption = {});

}  // namespace einsummable
