// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/host_copies.h"
#include "einsummable/executor/cuda/kernel_library.h"
#include "einsummable/executor/cuda/stamps.h"

namespace einsummable::cuda {

// A task graph as one CUDA graph, with the memory and the kernels that its nodes name.
class CudaExecution final : public Execution {
 public:
  CudaExecution(const Api& api, const CudaOptions& options, std::shared_ptr<const TaskGraph> graph,
                const Interruption& interruption);
  ~CudaExecution() override;

  void load(TensorId tensor, const StridedView& array) override;
  // Throws DeviceError where a launch fails or is given up, after which every call does.
  void run(const std::function<bool()>& interrupted) override;
  std::vector<TaskTime> last_run() const override;
  void offload(int32_t save, const StridedView& array) override;

 private:
  using Clock = std::chrono::steady_clock;

  int32_t architecture(int32_t device);
  void compile_kernels(const Interruption& interruption);
  void build(const Interruption& interruption);
  void require_usable() const;
  // Throws what `check` does; what is lost makes the execution unusable.
  void require(Status status, const std::string& what);
  // Returns once the launch has ended. Throws what `interrupted` does, or InputError if it says to
  // stop, but not before that: a launch cannot be stopped.
  void wait(const std::function<bool()>& interrupted);
  [[noreturn]] void give_up();
  void throw_faults() const;
  int32_t device(SiteId site) const { return options_.devices[site.index()]; }

  const Api* api_;
  CudaOptions options_;
  std::shared_ptr<const TaskGraph> graph_;
  Arenas arenas_;
  std::vector<PreparedTask> tasks_;
  std::vector<size_t> fault_tasks_;           // those with ids, in order; each has a Fault
  std::map<int32_t, int32_t> architectures_;  // of devices, so far
  KernelLibrary library_;
  HostCopies copies_;
  Pinned faults_;
  std::optional<Stamps> stamps_;  // if tasks are timed
  std::vector<Pinned> staging_;
  Owned<DestroyGraph> owned_graph_;
  Owned<DestroyLaunchable> owned_launchable_;
  Launchable launchable_ = 0;
  bool running_ = false;  // a launch that was given up or lost, as far as is known
  std::string unusable_;  // why; empty if it is not
};

}  // namespace einsummable::cuda
