// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/cuda_executor.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/cuda_execution.h"
#include "einsummable/executor/cuda/status.h"
#include "einsummable/executor/cuda/task_nodes.h"

namespace einsummable::cuda {
namespace {

// What a task may ask for: where the library turns out not to serve attention, a generated kernel
// takes its place.
int64_t workspace_of(const TaskGraph& graph, const Task& task, KernelOptions kernels) {
  const PreparedTask prepared = nodes_of(graph, task, kernels);
  const bool library = std::ranges::any_of(prepared.nodes, [](const NodeCall& node) {
    return std::holds_alternative<AttentionCall>(node);
  });
  if (!library) return prepared.workspace;
  kernels.library_attention = false;
  return std::max(prepared.workspace, nodes_of(graph, task, kernels).workspace);
}

}  // namespace

CudaExecutor::CudaExecutor(const Api& api, CudaOptions options)
    : api_(&api), options_(std::move(options)) {
  int32_t count = 0;
  check(api, api.device_count(&count), "there are no CUDA devices");
  for (int32_t device : options_.devices) {
    if (0 <= device && device < count) continue;
    const std::string legal =
        count == 0 ? "there are none" : "there are devices 0 to " + std::to_string(count - 1);
    throw DeviceError("there is no CUDA device " + std::to_string(device) + ": " + legal);
  }
}

Traits CudaExecutor::traits() const {
  const bool one = std::ranges::all_of(
      options_.devices, [&](int32_t device) { return device == options_.devices.front(); });
  return {.memory = one ? Traits::Memory::shared : Traits::Memory::private_sites,
          .transfers = Traits::Transfers::dense,
          .alignment = kAlignment,
          .workspace = [kernels = options_.kernels](
                           const TaskGraph& graph,
                           const Task& task) { return workspace_of(graph, task, kernels); },
          .epilogue = [api = api_, options = options_](
                          const TaskGraph& graph,
                          const Task& task) { return has_epilogue(*api, options, graph, task); }};
}

std::unique_ptr<Execution> CudaExecutor::prepare(std::shared_ptr<const TaskGraph> graph,
                                                 const Interruption& interruption) {
  ensure(graph->memory.size() == options_.devices.size(), "every site has a device");
  return std::make_unique<CudaExecution>(*api_, options_, std::move(graph), interruption);
}

}  // namespace einsummable::cuda
