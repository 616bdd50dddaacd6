// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "einsummable/executor/cuda/api.h"
#include "tests/support/cuda_twin/services.h"

namespace einsummable::cuda_twin {

using cuda::Address;
using cuda::kHost;

// The memories of the devices, and pinned memory of the host. No address is in two of them, and
// allocations lie far apart. Of every byte it is known whether it was written, and by whom.
class DeviceMemories {
 public:
  explicit DeviceMemories(uint64_t bytes_a_device) : limit_(bytes_a_device) {}

  struct Allocation {
    int32_t device = kHost;
    uint64_t bytes = 0;
    std::unique_ptr<unsigned char[]> data, state;
  };

  // 0 if the device has not that much left.
  Address allocate(int32_t device, uint64_t bytes);
  bool release(Address address);
  unsigned char* data(Address address) { return allocations_.at(address).data.get(); }
  // The address of pinned memory.
  Address pinned(const void* memory) const;

  // The allocation that an address lies in, or null; and how far from its first byte.
  const Allocation* find(Address address, uint64_t& offset) const;
  Reach reach(Address address) const;
  // Bytes of a span within one allocation of that device; null, and why, if it is none.
  unsigned char* span(Address address, uint64_t bytes, int32_t device, std::string& fault) const;
  unsigned char* state(Address address) const;

  // What nodes of a graph wrote is undefined again.
  void forget_nodes();
  size_t allocations() const { return allocations_.size(); }
  uint64_t free_bytes(int32_t device) const;

 private:
  uint64_t limit_;
  std::map<Address, Allocation> allocations_;
  std::map<int32_t, uint64_t> used_, next_;
};

}  // namespace einsummable::cuda_twin
