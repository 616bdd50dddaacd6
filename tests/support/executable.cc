// SPDX-License-Identifier: Apache-2.0
#include "tests/support/executable.h"

#include <cstdlib>
#include <string_view>

#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/devices.h"
#include "tests/support/cuda_twin/twin.h"

namespace einsummable {
namespace {

// A twin that programs of all tests are made on: they must not outlive it.
struct TwinDevices {
  cuda_twin::Twin twin{{.memory = uint64_t{1} << 36}};
  cuda::Devices devices{twin.api()};
};

std::shared_ptr<Executor> twin_executor(int64_t sites) {
  static TwinDevices all;
  std::vector<int32_t> of_sites;
  for (int64_t site = 0; site < sites; ++site) of_sites.push_back(static_cast<int32_t>(site % 2));
  return std::make_shared<cuda::CudaExecutor>(
      all.devices.api(),
      cuda::CudaOptions{
          .devices = std::move(of_sites),
          .kernels = {.library_attention = true, .product_workspace = cuda::kWorkspaceUnit},
          .reaches = [](int32_t from, int32_t to) { return all.devices.reaches(from, to); },
          .threads = 2});
}

}  // namespace

std::unique_ptr<Executable> compiled(const Graph& graph, CompileOptions options) {
  const char* backend = std::getenv("EINSUMMABLE_TEST_BACKEND");
  if (backend && std::string_view(backend) == "cuda") {
    options.executor = twin_executor(options.devices);
  }
  return compile(graph, options);
}

std::vector<Memory> call(Executable& executable, const Graph& graph,
                         const std::map<TensorId, Array64>& values) {
  std::vector<Memory> given, saved;
  std::vector<Executable::Argument> inputs, outputs;
  given.reserve(values.size());
  for (const auto& [tensor, array] : values) {
    given.emplace_back(graph.type(tensor), array);
    inputs.push_back({graph.tensor(tensor).name, given.back().view()});
  }
  saved.reserve(graph.saves().size());
  for (const GraphSave& save : graph.saves()) {
    saved.emplace_back(graph.type(save.tensor));
    outputs.push_back({save.name, saved.back().view()});
  }
  executable.call(inputs, outputs);
  return saved;
}

}  // namespace einsummable
