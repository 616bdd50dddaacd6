// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "einsummable/base/interruption.h"
#include "einsummable/executor/cuda/handles.h"
#include "einsummable/executor/cuda/image_files.h"
#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda {

// Generated kernels, compiled for architectures and loaded. Images are kept in files of a folder.
class KernelLibrary {
 public:
  // An empty `folder` keeps none. Compiles on up to `threads` threads.
  KernelLibrary(const Api& api, std::string folder, int64_t threads);

  // Compiles and loads what is not there yet. Throws DeviceError with the compiler's words.
  void add(std::span<const KernelSource> sources, int32_t architecture,
           const Interruption& interruption);

  // A kernel that was added for that architecture.
  Function function(const KernelSource& source, int32_t architecture) const;

  void abandon();  // see Owned

 private:
  using Key = std::pair<int32_t, std::string>;  // an architecture and a kernel's definition
  struct Loaded {
    Owned<UnloadModule> module;
    Function function = 0;
  };

  std::string image_of(const KernelSource& source, int32_t architecture) const;

  const Api* api_;
  ImageFiles files_;
  int64_t threads_;
  std::map<Key, Loaded> loaded_;
};

}  // namespace einsummable::cuda
