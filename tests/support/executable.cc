// SPDX-License-Identifier: Apache-2.0
#include "tests/support/executable.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/devices.h"
#include "tests/support/cuda_twin/twin.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

// Machines among the devices of one twin: the usual one, of which one device reaches the other; one
// device alone; three that reach one another; and eight of which none does.
struct Machine {
  int32_t first, devices;
  bool (*reaches)(int32_t from, int32_t to);
};
constexpr Machine kMachines[] = {{0, 2, [](int32_t from, int32_t to) { return from < to; }},
                                 {2, 1, [](int32_t, int32_t) { return false; }},
                                 {3, 3, [](int32_t, int32_t) { return true; }},
                                 {6, 8, [](int32_t, int32_t) { return false; }}};

bool reaches(int32_t from, int32_t to) {
  return std::ranges::any_of(kMachines, [&](const Machine& machine) {
    const auto has = [&](int32_t device) {
      return machine.first <= device && device < machine.first + machine.devices;
    };
    return has(from) && has(to) && machine.reaches(from, to);
  });
}

// A twin that programs of all tests are made on: they must not outlive it.
struct TwinDevices {
  cuda_twin::Twin twin{{.devices = 14, .memory = uint64_t{1} << 36, .peers = einsummable::reaches}};
  cuda::Devices devices{twin.api()};
  int32_t made = 0;

  // Nine programs of ten are for the usual machine, the tenth is for another; or each for the next,
  // if all seeds are run.
  const Machine& next() {
    const int32_t number = made++;
    if (!is_sparse()) return kMachines[number % 4];
    return number % 10 == 9 ? kMachines[1 + number / 10 % 3] : kMachines[0];
  }
};

std::shared_ptr<Executor> twin_executor(int64_t sites) {
  static TwinDevices all;
  const Machine& machine = all.next();
  std::vector<int32_t> of_sites;
  for (int64_t site = 0; site < sites; ++site) {
    of_sites.push_back(machine.first + static_cast<int32_t>(site % machine.devices));
  }
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
