// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "einsummable/logical/optimise.h"
#include "einsummable/memory_loop.h"
#include "einsummable/physical/synthesiser.h"
#include "einsummable/task/traits.h"

namespace einsummable {

// How a plan is looked for whose tasks need no more than so many bytes a device.
struct MemorySearch {
  int64_t limit = 0;
  LogicalOptions logical = {};
  std::optional<DType> partial_dtype = {};
  // Places a plan on so many sites, and gives its tasks as they will run.
  std::function<PlacedPlan(const LogicalPlan& plan, std::optional<DType> partial_dtype)> lower = {};
  Traits::Memory memory = Traits::Memory::shared;  // of those tasks
  // Of the objective time; null for the proxy.
  const Topology* topology = nullptr;
  Schedule schedule = {};  // of the programs
};

// The best plan found that fits, where `first`, the best of all plans, does not: the cheapest by
// the proxy, or that of least simulated time among the ones a MemoryLoop finds for either
// objective. Throws MemoryLimitError if none does: with the least any of those measured needs,
// where and for what, and with what would fit.
PlacedPlan find_fitting(const std::shared_ptr<const Graph>& graph, const PlacedPlan& first,
                        const MemorySearch& search);

}  // namespace einsummable
