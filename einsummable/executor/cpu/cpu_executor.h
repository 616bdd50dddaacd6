// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "einsummable/executor/executor.h"

namespace einsummable::cpu {

struct CpuOptions {
  int64_t threads = 0;  // 0: as many as sites or cores, whichever are fewer
  // Shared: kernels read blocks where they lie. Private: a site touches its own memory alone, and
  // every transfer copies.
  Traits::Memory memory = Traits::Memory::shared;
};

// The threads that so many sites are run by.
int64_t threads_of(const CpuOptions& options, int64_t sites);

// Virtual devices in this process. The same bits at any number of threads, shared or private.
class CpuExecutor final : public Executor {
 public:
  explicit CpuExecutor(CpuOptions options) : options_(options) {}

  Traits traits() const override;
  using Executor::prepare;
  std::unique_ptr<Execution> prepare(std::shared_ptr<const TaskGraph> graph,
                                     const Interruption& interruption) override;

 private:
  CpuOptions options_;
};

// Throws InternalError if a task of a graph for private sites touches the memory of a site that is
// not its own; a transfer writes its own and reads one other's.
void require_private(const TaskGraph& graph);

}  // namespace einsummable::cpu
