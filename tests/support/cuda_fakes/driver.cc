// SPDX-License-Identifier: Apache-2.0
// Two devices whose memory is the host's. What the real driver refuses, this one does.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/support/cuda_fakes/fakes.h"

namespace einsummable::cuda_fakes {
namespace {

constexpr int kDevices = 2;
constexpr int kArchitecture[] = {9, 0};
constexpr size_t kMemory = size_t{1} << 33;

struct Allocation {
  size_t bytes = 0;
  CUcontext context = nullptr;  // none: the host's
};

struct State {
  bool started = false;
  std::mutex mutex;
  CUctx_st contexts[kDevices] = {{0, {}, false}, {1, {}, false}};
  std::map<CUdeviceptr, Allocation> allocations;
};

State& state() {
  static State all;
  return all;
}

thread_local CUcontext the_current = nullptr;

CUresult allocate(size_t bytes, CUcontext context, CUdeviceptr& address) {
  if (!the_current) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  address = reinterpret_cast<CUdeviceptr>(memory);
  state().allocations[address] = {bytes, context};
  return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr address, bool of_host) {
  if (!the_current) return CUDA_ERROR_INVALID_CONTEXT;
  const auto found = state().allocations.find(address);
  if (found == state().allocations.end() || (found->second.context == nullptr) != of_host) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  state().allocations.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}

}  // namespace

std::mutex& lock() { return state().mutex; }

CUcontext current() { return the_current; }

bool is_one_lost() {
  return std::ranges::any_of(state().contexts, [](const CUctx_st& one) { return one.lost; });
}

bool is_reachable(CUcontext from, CUdeviceptr address, size_t bytes) {
  auto found = state().allocations.upper_bound(address);
  if (found == state().allocations.begin()) return false;
  --found;
  if (address + bytes > found->first + found->second.bytes) return false;
  const CUcontext of = found->second.context;
  return !of || of == from || from->reaches.contains(of);
}

}  // namespace einsummable::cuda_fakes

using namespace einsummable::cuda_fakes;

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI

// For tests: a device is lost, or is not after all.
extern "C" __attribute__((visibility("default"))) void fake_cuda_lose(int device, int lost) {
  state().contexts[device].lost = lost != 0;
}

FAKE cuInit(unsigned) {
  state().started = true;
  return CUDA_SUCCESS;
}
FAKE cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
FAKE cuGetErrorName(CUresult result, const char** text) {
  *text = result == CUDA_ERROR_INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
FAKE cuGetErrorString(CUresult, const char** text) {
  *text = "the fake driver refuses it";
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetCount(int* count) {
  if (!state().started) return CUDA_ERROR_NOT_INITIALIZED;
  *count = kDevices;
  return CUDA_SUCCESS;
}
FAKE cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return 0 <= number && number < kDevices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
FAKE cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "fake", static_cast<size_t>(bytes));
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetPCIBusId(char* name, int bytes, CUdevice) {
  std::strncpy(name, "0000:00:00.0", static_cast<size_t>(bytes));
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? kArchitecture[0]
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? kArchitecture[1]
                                                                   : 1;
  return CUDA_SUCCESS;
}
FAKE cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = &state().contexts[device];
  return CUDA_SUCCESS;
}
FAKE cuCtxGetCurrent(CUcontext* context) {
  *context = the_current;
  return CUDA_SUCCESS;
}
FAKE cuCtxSetCurrent(CUcontext context) {
  the_current = context;
  return CUDA_SUCCESS;
}
FAKE cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  *can = device < peer;
  return CUDA_SUCCESS;
}
FAKE cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  const std::lock_guard guard(lock());
  if (!the_current || the_current == peer) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (the_current->device > peer->device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  const bool is_new = the_current->reaches.insert(peer).second;
  return is_new ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}
FAKE cuMemGetInfo(size_t* free, size_t* total) {
  *free = *total = kMemory;
  return the_current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
FAKE cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  const std::lock_guard guard(lock());
  return allocate(bytes, the_current, *address);
}
FAKE cuMemFree(CUdeviceptr address) {
  const std::lock_guard guard(lock());
  return release(address, false);
}
FAKE cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  const std::lock_guard guard(lock());
  CUdeviceptr address = 0;
  const CUresult result = allocate(bytes, nullptr, address);
  *memory = reinterpret_cast<void*>(address);
  return result;
}
FAKE cuMemFreeHost(void* memory) {
  const std::lock_guard guard(lock());
  return release(reinterpret_cast<CUdeviceptr>(memory), true);
}
FAKE cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
// Through the host where there is no peer access.
FAKE cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  const std::lock_guard guard(lock());
  if (!the_current) return CUDA_ERROR_INVALID_CONTEXT;
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
