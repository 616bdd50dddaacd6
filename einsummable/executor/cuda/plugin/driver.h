// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <mutex>
#include <string>
#include <vector>

#include "einsummable/executor/cuda/plugin/library.h"

namespace einsummable::cuda::plugin {

// The functions of the driver that are used, by their names in cuda.h, which stand for the versions
// that its prototypes have.
#define ES_DRIVER_FUNCTIONS(use)                                                                   \
  use(cuCtxEnablePeerAccess) use(cuCtxGetCurrent) use(cuCtxSetCurrent) use(cuDeviceCanAccessPeer)  \
      use(cuDeviceGet) use(cuDeviceGetAttribute) use(cuDeviceGetCount) use(cuDeviceGetName)        \
          use(cuDeviceGetPCIBusId) use(cuDevicePrimaryCtxRetain) use(cuDriverGetVersion)           \
              use(cuGetErrorName) use(cuGetErrorString) use(cuGraphAddEmptyNode)                   \
                  use(cuGraphAddKernelNode) use(cuGraphAddMemcpyNode) use(cuGraphCreate)           \
                      use(cuGraphDestroy) use(cuGraphExecDestroy) use(cuGraphInstantiate)          \
                          use(cuGraphLaunch) use(cuGraphUpload) use(cuInit)                        \
                              use(cuLibraryGetKernel) use(cuLibraryLoadData) use(cuLibraryUnload)  \
                                  use(cuMemAlloc) use(cuMemFree) use(cuMemFreeHost)                \
                                      use(cuMemGetInfo) use(cuMemHostAlloc)                        \
                                          use(cuMemHostGetDevicePointer) use(cuMemcpy)             \
                                              use(cuStreamBeginCaptureToGraph) use(cuStreamCreate) \
                                                  use(cuStreamDestroy) use(cuStreamEndCapture)     \
                                                      use(cuStreamGetCaptureInfo)                  \
                                                          use(cuStreamQuery)                       \
                                                              use(cuStreamSynchronize)

// The driver, and the primary context and a stream of every device.
class Driver {
 public:
  // Opened when it is first asked for.
  static Driver& get();

#define ES_MEMBER(function) decltype(&::function) function = nullptr;
  ES_DRIVER_FUNCTIONS(ES_MEMBER)
#undef ES_MEMBER

  // `ok` if the driver works; else `missing`, with the reason as the last error.
  Status usable() const;
  LibraryInfo info() const;
  int32_t devices() const { return static_cast<int32_t>(contexts_.size()); }

  CUcontext context(int32_t device) const { return contexts_[static_cast<size_t>(device)]; }
  CUstream stream(int32_t device) const { return streams_[static_cast<size_t>(device)]; }

  // What the libraries' handles, and the streams that their calls are recorded on, are used under.
  std::mutex& recording() { return recording_; }

  // `ok`, or the status that the result stands for, with `what` and the driver's words as the last
  // error.
  Status check(CUresult result, const char* what) const;

 private:
  Driver();
  std::string load();
  // Give what is wrong; empty if nothing is.
  std::string start_devices();
  std::string start_device(int number);

  SharedLibrary library_;
  std::string missing_;
  int version_ = 0;
  std::vector<CUcontext> contexts_;
  std::vector<CUstream> streams_;
  std::mutex recording_;
};

// While it lives a device's context is current to this thread, and after that what was before:
// other users of CUDA in the process see no change.
class Entered {
 public:
  explicit Entered(int32_t device);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  // `missing` without a driver, `failed` for a device that is not there.
  Status status() const { return status_; }

 private:
  CUcontext before_ = nullptr;
  Status status_;
};

}  // namespace einsummable::cuda::plugin
