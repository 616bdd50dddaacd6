// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"

namespace einsummable {

// The tasks of a plan, without memory: a pure function of the plan and of what the executor can do.
// Blocks that a strided view can express are not copied: transfers and aggregations write where the
// block is read, layout operators become views, and where memory is shared a whole block is handed
// over.
TaskGraph lower(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits,
                const Interruption& interruption = {});

}  // namespace einsummable
