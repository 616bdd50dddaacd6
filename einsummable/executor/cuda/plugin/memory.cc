// SPDX-License-Identifier: Apache-2.0
// Devices, their memory, and copies that are waited for.
#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {

Status device_count(int32_t* count) {
  Driver& driver = Driver::get();
  *count = driver.devices();
  return driver.usable();
}

Status device(int32_t number, DeviceInfo* info) {
  Driver& driver = Driver::get();
  const Entered entered(number);
  if (entered.status() != Status::ok) return entered.status();
  *info = {};
  CUdevice device = 0;
  CUresult result = driver.cuDeviceGet(&device, number);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    if (result == CUDA_SUCCESS) result = driver.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  info->architecture = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                       attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info->processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->shared_memory = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info->clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  size_t free = 0, total = 0;
  if (result == CUDA_SUCCESS) {
    result = driver.cuDeviceGetName(info->name, sizeof info->name, device);
  }
  if (result == CUDA_SUCCESS) {
    result = driver.cuDeviceGetPCIBusId(info->bus, sizeof info->bus, device);
  }
  if (result == CUDA_SUCCESS) result = driver.cuMemGetInfo(&free, &total);
  info->memory = total;
  info->free_memory = free;
  return driver.check(result, "asking for a device");
}

Status can_reach(int32_t from, int32_t to, int32_t* can) {
  Driver& driver = Driver::get();
  const Entered entered(from);
  if (entered.status() != Status::ok) return entered.status();
  CUdevice source = 0, target = 0;
  int access = 0;
  CUresult result = driver.cuDeviceGet(&source, from);
  if (result == CUDA_SUCCESS) result = driver.cuDeviceGet(&target, to);
  // Copies run where the bytes come from, and write into the memory of the other.
  if (result == CUDA_SUCCESS) result = driver.cuDeviceCanAccessPeer(&access, source, target);
  *can = access;
  return driver.check(result, "asking for peer access");
}

Status enable_peer(int32_t from, int32_t to) {
  Driver& driver = Driver::get();
  const Entered target(to);
  if (target.status() != Status::ok) return target.status();
  const Entered entered(from);
  if (entered.status() != Status::ok) return entered.status();
  const CUresult result = driver.cuCtxEnablePeerAccess(driver.context(to), 0);
  if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return Status::ok;
  return driver.check(result, "enabling peer access");
}

Status allocate(int32_t number, uint64_t bytes, Address* address) {
  Driver& driver = Driver::get();
  const Entered entered(number);
  if (entered.status() != Status::ok) return entered.status();
  CUdeviceptr memory = 0;
  const Status status = driver.check(driver.cuMemAlloc(&memory, bytes), "allocating memory");
  *address = memory;
  return status;
}

Status release(int32_t number, Address address) {
  Driver& driver = Driver::get();
  const Entered entered(number);
  if (entered.status() != Status::ok) return entered.status();
  return driver.check(driver.cuMemFree(address), "freeing memory");
}

Status allocate_pinned(uint64_t bytes, void** memory, Address* address) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  constexpr unsigned kForAll = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  const Status status =
      driver.check(driver.cuMemHostAlloc(memory, bytes, kForAll), "allocating pinned memory");
  if (status != Status::ok) return status;
  CUdeviceptr mapped = 0;
  const Status found =
      driver.check(driver.cuMemHostGetDevicePointer(&mapped, *memory, 0), "mapping pinned memory");
  if (found != Status::ok) driver.cuMemFreeHost(*memory);
  *address = mapped;
  return found;
}

Status release_pinned(void* memory) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  return driver.check(driver.cuMemFreeHost(memory), "freeing pinned memory");
}

Status copy(const Copy* copy) {
  Driver& driver = Driver::get();
  const int32_t where = copy->from_device == kHost ? copy->to_device : copy->from_device;
  const Entered entered(where == kHost ? 0 : where);
  if (entered.status() != Status::ok) return entered.status();
  const CUresult result = driver.cuMemcpy(copy->to, copy->from, copy->bytes);
  return driver.check(result == CUDA_SUCCESS ? driver.cuStreamSynchronize(nullptr) : result,
                      "copying");
}

}  // namespace einsummable::cuda::plugin
