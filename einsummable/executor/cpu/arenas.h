// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "einsummable/task/task_graph.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// The memory of the virtual devices: one allocation a site, its workspace at the end.
class Arenas {
 public:
  // Throws MemoryLimitError if the machine does not give that much.
  explicit Arenas(std::shared_ptr<const TaskGraph> graph);

  // The operand where it lies. Its shape and strides stay the task graph's.
  StridedView view(const Operand& operand) const;
  StridedView view(BufferId buffer) const;
  std::span<std::byte> workspace(SiteId site) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::shared_ptr<const TaskGraph> graph_;
  std::vector<std::unique_ptr<std::byte, Free>> sites_;
  std::vector<Operand> whole_;  // of every buffer
};

}  // namespace einsummable::cpu
