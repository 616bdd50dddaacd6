// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/arenas.h"

#include <algorithm>
#include <map>

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/status.h"

namespace einsummable::cuda {
namespace {

// Sites by device, and the bytes of each from the start of the device's allocation.
struct Share {
  std::vector<size_t> sites;
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

std::string describe(const Share& share) {
  std::vector<std::string> sites;
  for (size_t site : share.sites) sites.push_back(std::to_string(site));
  return std::to_string(share.bytes) + " bytes for " + (sites.size() == 1 ? "site " : "sites ") +
         join(sites, ", ");
}

}  // namespace

Arenas::Arenas(const Api& api, const TaskGraph& graph, std::span<const int32_t> devices)
    : graph_(&graph), sites_(graph.memory.size(), 0) {
  std::map<int32_t, Share> shares;
  for (size_t site = 0; site < graph.memory.size(); ++site) {
    Share& share = shares[devices[site]];
    share.sites.push_back(site);
    share.offsets.push_back(share.bytes);
    const SiteMemory& memory = graph.memory[site];
    share.bytes = checked_add(
        share.bytes, checked_add(round_up(memory.arena, kAlignment),
                                 round_up(std::max<int64_t>(memory.workspace, 1), kAlignment)));
  }
  for (const auto& [device, share] : shares) {
    Address address = 0;
    check(api, api.allocate(device, static_cast<uint64_t>(share.bytes), &address),
          describe_device(api, device) + " does not give " + describe(share));
    owned_.emplace_back(ReleaseMemory{&api, device, address});
    for (size_t i = 0; i < share.sites.size(); ++i) {
      sites_[share.sites[i]] = address + static_cast<uint64_t>(share.offsets[i]);
    }
  }
}

Address Arenas::address(BufferId id) const {
  const Buffer& buffer = graph_->buffer(id);
  return sites_[buffer.site.index()] + static_cast<uint64_t>(buffer.offset);
}

Address Arenas::address(const Operand& operand) const {
  const int64_t size = size_of(graph_->buffer(operand.buffer).dtype);
  return address(operand.buffer) + static_cast<uint64_t>(operand.offset * size);
}

Address Arenas::workspace(SiteId site) const {
  const int64_t arena = round_up(graph_->memory[site.index()].arena, kAlignment);
  return sites_[site.index()] + static_cast<uint64_t>(arena);
}

void Arenas::abandon() {
  for (auto& allocation : owned_) allocation.abandon();
}

Pinned::Pinned(const Api& api, int64_t bytes, const std::string& use) {
  void* memory = nullptr;
  const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  check(api, api.allocate_pinned(size, &memory, &address_),
        "there are no " + std::to_string(size) + " bytes of pinned memory for " + use);
  owned_ = Owned(ReleasePinned{&api, memory});
  bytes_ = {static_cast<std::byte*>(memory), size};
}

}  // namespace einsummable::cuda
