// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/memory.h"

#include <algorithm>
#include <cstring>

namespace einsummable::cuda_twin {
namespace {

// Between two allocations, so that what is off by much hits none.
constexpr uint64_t kGap = uint64_t{1} << 20;

}  // namespace

Address DeviceMemories::allocate(int32_t device, uint64_t bytes) {
  if (bytes > free_bytes(device)) return 0;
  const uint64_t start = static_cast<uint64_t>(device + 2) << 44;
  uint64_t& next = next_[device];
  const Address address = start + next;
  next += (bytes + 2 * kGap - 1) / kGap * kGap;
  used_[device] += bytes;
  Allocation& made = allocations_[address];
  made.device = device;
  made.bytes = bytes;
  made.data = std::make_unique<unsigned char[]>(std::max<uint64_t>(bytes, 1));
  made.state = std::make_unique<unsigned char[]>(std::max<uint64_t>(bytes, 1));
  std::memset(made.data.get(), 0xff, bytes);
  std::memset(made.state.get(), kUndefined, bytes);
  return address;
}

bool DeviceMemories::release(Address address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  used_[found->second.device] -= found->second.bytes;
  allocations_.erase(found);
  return true;
}

Address DeviceMemories::pinned(const void* memory) const {
  for (const auto& [address, allocation] : allocations_) {
    if (allocation.data.get() == memory) return address;
  }
  return 0;
}

const DeviceMemories::Allocation* DeviceMemories::find(Address address, uint64_t& offset) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const auto& [start, allocation] = *--after;
  offset = address - start;
  return offset <= allocation.bytes ? &allocation : nullptr;
}

Reach DeviceMemories::reach(Address address) const {
  uint64_t offset = 0;
  const Allocation* found = find(address, offset);
  if (!found) return {};
  return {found->data.get() + offset, found->state.get() + offset, -static_cast<long long>(offset),
          static_cast<long long>(found->bytes - offset)};
}

unsigned char* DeviceMemories::span(Address address, uint64_t bytes, int32_t device,
                                    std::string& fault) const {
  uint64_t offset = 0;
  const Allocation* found = find(address, offset);
  if (!found || bytes > found->bytes - offset) {
    fault = "it touches memory that nobody allocated";
    return nullptr;
  }
  if (found->device != device) {
    fault = "it touches memory of device " + std::to_string(found->device) + " as that of device " +
            std::to_string(device);
    return nullptr;
  }
  return found->data.get() + offset;
}

unsigned char* DeviceMemories::state(Address address) const {
  uint64_t offset = 0;
  return find(address, offset)->state.get() + offset;
}

void DeviceMemories::forget_nodes() {
  for (auto& [address, allocation] : allocations_) {
    // Written so that compilers do many bytes at a time.
    unsigned char* state = allocation.state.get();
    const uint64_t bytes = allocation.bytes;
    for (uint64_t b = 0; b < bytes; ++b) {
      state[b] = state[b] == kByNode ? kUndefined : state[b];
    }
  }
}

uint64_t DeviceMemories::free_bytes(int32_t device) const {
  const auto used = used_.find(device);
  return limit_ - (used == used_.end() ? 0 : used->second);
}

}  // namespace einsummable::cuda_twin
