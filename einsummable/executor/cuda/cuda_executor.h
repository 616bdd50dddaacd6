// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "einsummable/executor/cuda/api.h"
#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/executor.h"

namespace einsummable::cuda {

struct CudaOptions {
  std::vector<int32_t> devices;  // of every site; several sites may be on one
  KernelOptions kernels = {};
  // Whether copies from a device to another need not go through the host.
  std::function<bool(int32_t from, int32_t to)> reaches = [](int32_t, int32_t) { return false; };
  // Whether the library's relu keeps NaN on a device; if not, it is no epilogue there.
  std::function<bool(int32_t device)> relu_keeps_nan = [](int32_t) { return true; };
  std::string cache_dir = {};  // of compiled kernels; empty: they are not kept
  int64_t threads = 1;         // that compile kernels
  bool timed = false;          // whether the time of every task is taken, which slows launches
  double time_limit = 600;     // seconds after which a launch that has not ended is given up
};

// GPUs: a whole task graph as one CUDA graph over all of them, instantiated once and launched by
// one call. Sites share memory if all are on one device. `api` outlives executor and executions.
class CudaExecutor final : public Executor {
 public:
  // Throws DeviceError for a device that is not there.
  CudaExecutor(const Api& api, CudaOptions options);

  Traits traits() const override;
  using Executor::prepare;
  // Throws MemoryLimitError where a device has no room, DeviceError for an operator without a
  // kernel, or a kernel that does not compile.
  std::unique_ptr<Execution> prepare(std::shared_ptr<const TaskGraph> graph,
                                     const Interruption& interruption) override;

 private:
  const Api* api_;
  CudaOptions options_;
};

}  // namespace einsummable::cuda
