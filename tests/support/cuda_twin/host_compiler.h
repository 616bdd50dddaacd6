// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "einsummable/executor/cuda/kernel.h"
#include "tests/support/cuda_twin/threads.h"

namespace einsummable::cuda_twin {

// What a kernel became on the host.
struct HostKernel {
  Kernel run = nullptr;
  bool barriers = false;  // its threads share an array
};

// Kernels compiled by the host's compiler, many a unit, from the definitions that NVRTC gets. Units
// are kept in a folder of the build by their text, so that a test that runs again compiles nothing.
class HostCompiler {
 public:
  explicit HostCompiler(const Services& services) : services_(&services) {}

  // Definitions by the names of their kernels. Throws DeviceError with the compiler's words.
  void add(const std::map<std::string, std::string>& definitions);
  // A kernel that was added.
  const HostKernel& kernel(const std::string& name) const { return kernels_.at(name); }

 private:
  void load(const std::string& library, const std::map<std::string, std::string>& definitions);

  const Services* services_;
  std::map<std::string, HostKernel> kernels_;
};

}  // namespace einsummable::cuda_twin
