// SPDX-License-Identifier: Apache-2.0
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

Topology devices(int64_t sites) {
  Topology out;
  out.name = "test";
  for (int64_t site = 0; site < sites; ++site) {
    out.devices.push_back({.name = std::to_string(site),
                           .memory_bytes = 0,
                           .hbm_gbps = 1000,
                           .kernel_latency_us = 1,
                           .flops = {{"float32", 1e12}, {"float16", 4e12}}});
    out.device_of.push_back(static_cast<int32_t>(site));
  }
  out.route_of.assign(static_cast<size_t>(sites * sites), -1);
  return out;
}

ResourceId add(Topology& topology, Resource::Kind kind, std::string name, double gbps) {
  topology.resources.push_back({kind, std::move(name), gbps});
  return ResourceId(static_cast<int64_t>(topology.resources.size()) - 1);
}

void connect(Topology& topology, int64_t from, int64_t to, std::vector<ResourceId> resources) {
  topology.route_of[static_cast<size_t>(from * topology.sites() + to)] =
      static_cast<int32_t>(topology.routes.size());
  topology.routes.push_back({std::move(resources), 1});
}

}  // namespace

Topology switched(int64_t sites, double gbps) {
  Topology out = devices(sites);
  std::vector<ResourceId> egress, ingress;
  for (int64_t s = 0; s < sites; ++s) {
    egress.push_back(add(out, Resource::Kind::egress, "egress " + std::to_string(s), gbps));
    ingress.push_back(add(out, Resource::Kind::ingress, "ingress " + std::to_string(s), gbps));
  }
  for (int64_t from = 0; from < sites; ++from) {
    for (int64_t to = 0; to < sites; ++to) {
      if (from == to) continue;
      connect(out, from, to, {egress[static_cast<size_t>(from)], ingress[static_cast<size_t>(to)]});
    }
  }
  return out;
}

Topology linked(int64_t sites, std::mt19937_64& random) {
  Topology out = devices(sites);
  const ResourceId bus = add(out, Resource::Kind::bus, "bus", 15.75);
  for (int64_t a = 0; a < sites; ++a) {
    for (int64_t b = 0; b < a; ++b) {
      const auto gbps = static_cast<double>(25 * (random() % 3));
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const std::string name = "link " + std::to_string(from) + "->" + std::to_string(to);
        connect(out, from, to, {gbps > 0 ? add(out, Resource::Kind::link, name, gbps) : bus});
      }
    }
  }
  return out;
}

}  // namespace einsummable
