// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "einsummable/executor/cuda/handles.h"
#include "einsummable/task/task_graph.h"

namespace einsummable::cuda {

// What offsets of buffers, and a site's memory on its device, are multiples of, in bytes.
inline constexpr int64_t kAlignment = 256;

// The memory of the sites: one allocation a device, the sites on it one after another in it.
class Arenas {
 public:
  // `devices` has the device of every site. Throws MemoryLimitError, which names the device, its
  // sites and the bytes, if one has not that much free.
  Arenas(const Api& api, const TaskGraph& graph, std::span<const int32_t> devices);

  // Where an operand's element 0 lies, or a buffer's first byte.
  Address address(const Operand& operand) const;
  Address address(BufferId buffer) const;
  Address workspace(SiteId site) const;

  void abandon();  // see Owned

 private:
  const TaskGraph* graph_;
  std::vector<Address> sites_;
  std::vector<Owned<ReleaseMemory>> owned_;
};

// Pinned memory that devices reach too.
class Pinned {
 public:
  // Throws MemoryLimitError, which says what it is for.
  Pinned(const Api& api, int64_t bytes, const std::string& use);

  std::span<std::byte> bytes() const { return bytes_; }
  Address address() const { return address_; }

  void abandon() { owned_.abandon(); }

 private:
  std::span<std::byte> bytes_;
  Address address_ = 0;
  Owned<ReleasePinned> owned_;
};

}  // namespace einsummable::cuda
