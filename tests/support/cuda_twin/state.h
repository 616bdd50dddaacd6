// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/cuda_twin/host_compiler.h"
#include "tests/support/cuda_twin/memory.h"
#include "tests/support/cuda_twin/twin.h"

namespace einsummable::cuda_twin {

using cuda::Status;

// What a twin's functions act on.
struct Twin::State {
  explicit State(TwinOptions given);

  TwinOptions options;
  DeviceMemories memories;
  std::mt19937_64 random;
  Thread thread;
  Threads threads;
  HostCompiler compiler;

  std::mutex mutex;  // of compilations, which come from several threads
  std::string error;
  std::map<std::string, std::vector<std::pair<int64_t, Status>>> injected;
  std::set<std::pair<int32_t, int32_t>> reached;

  uint64_t next = 1;                                // of everything that is made
  std::map<cuda::Module, std::string> modules;      // names of kernels
  std::map<cuda::Function, std::string> functions;  // the same
  std::map<std::string, std::string> definitions;   // by name
  std::map<cuda::GraphHandle, std::vector<Recorded>> graphs;
  struct Ready {
    std::vector<Recorded> nodes;
    Status status = Status::ok;  // of the last launch
    int64_t polls = 0;           // that it is not ready for
    std::string error;
  };
  std::map<cuda::Launchable, Ready> launchables;
  int64_t launches = 0;
  bool hangs = false;

  // Of the node that is running.
  int32_t device = 0;
  std::string fault;

  Status failed(Status status, std::string what);
  // What was injected for this call of the function, else ok.
  Status injected_for(const std::string& function);
  bool is_device(int32_t device_number) const {
    return 0 <= device_number && device_number < options.devices;
  }
  int32_t architecture(int32_t device_number) const;
  // Runs all nodes; gives what went wrong, or nothing.
  std::string run(const std::vector<Recorded>& nodes);
  std::string run_node(const Recorded& node);
  std::string run_kernel(const Recorded::Kernel& kernel);
  // Copies bytes and what is known of them. Copies of a graph need peer access.
  std::string copy(const cuda::Copy& copy, bool by_host);

 private:
  std::vector<size_t> order_of(const std::vector<Recorded>& nodes);
};

// What kernels ask the twin that is there for.
const Services& services();
void set_running(Twin::State* state);
Twin::State* running();

}  // namespace einsummable::cuda_twin
