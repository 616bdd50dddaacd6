// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/network.h"

#include <string>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {

Network::Network(const Topology& topology, std::span<const exchange::SiteId> sites)
    : topology_(topology), sites_(sites.begin(), sites.end()) {
  constexpr double bytes_a_ms = 1e6;  // of one GB/s
  for (const Resource& r : topology.resources) rates_.push_back(r.gbps * bytes_a_ms);
  for (const Device& d : topology.devices) rates_.push_back(d.hbm_gbps * bytes_a_ms);
  const size_t n = sites_.size();
  rows_.resize(n * n);
  for (exchange::SiteId s : sites_) {
    if (s.value >= topology.sites()) {
      throw TopologyError("the program uses site " + std::to_string(s.value) + "; " +
                          topology.name + " has sites 0 to " +
                          std::to_string(topology.sites() - 1));
    }
    memory_rows_.push_back(static_cast<int32_t>(topology.resources.size()) +
                           topology.device_of[s.index()]);
  }
  if (topology.handover) return;
  for (int32_t a = 0; a < this->sites(); ++a) {
    for (int32_t b = 0; b < this->sites(); ++b) {
      const Route* way = route(a, b);
      if (way == nullptr) continue;
      for (ResourceId r : way->resources) rows_[pair(a, b)].push_back(r.value);
    }
  }
}

const Route* Network::route(int32_t from, int32_t to) const {
  return topology_.route(site(from).value, site(to).value);
}

std::span<const int32_t> Network::rows(int32_t from, int32_t to) const {
  return rows_[pair(from, to)];
}

}  // namespace einsummable::synthesis
