// SPDX-License-Identifier: Apache-2.0
#include "tests/exchange/bounds_machines.h"

#include <algorithm>
#include <array>
#include <string>

namespace einsummable::exchange {
namespace {

using Kind = Resource::Kind;

class Builder {
 public:
  Builder(int32_t sites, double hbm_gbps) : sites_(sites) {
    out_.name = "test";
    for (int32_t site = 0; site < sites; ++site) {
      Device& device = out_.devices.emplace_back();
      device.name = std::to_string(site);
      device.hbm_gbps = hbm_gbps;
      out_.device_of.push_back(site);
    }
    out_.route_of.assign(static_cast<size_t>(sites) * static_cast<size_t>(sites), -1);
  }

  ResourceId resource(Kind kind, std::string name, double gbps) {
    out_.resources.push_back({kind, std::move(name), gbps});
    return ResourceId(std::ssize(out_.resources) - 1);
  }
  int32_t route(std::vector<ResourceId> resources, double latency_us = 0) {
    out_.routes.push_back({std::move(resources), latency_us});
    return static_cast<int32_t>(out_.routes.size()) - 1;
  }
  int32_t& between(int32_t from, int32_t to) {
    return out_.route_of[static_cast<size_t>(from * sites_ + to)];
  }
  Topology& topology() { return out_; }

 private:
  int32_t sites_;
  Topology out_;
};

}  // namespace

Topology linked_machine(int32_t sites, std::span<const TestLink> links, double bus_gbps,
                        double hbm_gbps) {
  Builder builder(sites, hbm_gbps);
  for (const TestLink& link : links) {
    for (const auto& [from, to] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      const std::string name = "link " + std::to_string(from) + "->" + std::to_string(to);
      builder.between(from, to) = builder.route({builder.resource(Kind::link, name, link.gbps)});
    }
  }
  if (bus_gbps > 0) {
    const int32_t bus = builder.route({builder.resource(Kind::bus, "bus", bus_gbps)});
    for (int32_t from = 0; from < sites; ++from) {
      for (int32_t to = 0; to < sites; ++to) {
        if (from != to && builder.between(from, to) < 0) builder.between(from, to) = bus;
      }
    }
  }
  return builder.topology();
}

Topology switched_machine(int32_t nodes, int32_t sites_per_node, double switch_gbps,
                          double nic_gbps, double hbm_gbps) {
  const int32_t sites = nodes * sites_per_node;
  Builder builder(sites, hbm_gbps);
  std::vector<std::array<ResourceId, 4>> ports;
  for (int32_t site = 0; site < sites; ++site) {
    const std::string name = std::to_string(site);
    ports.push_back({builder.resource(Kind::egress, "egress " + name, switch_gbps),
                     builder.resource(Kind::ingress, "ingress " + name, switch_gbps),
                     builder.resource(Kind::nic_out, "nic out " + name, nic_gbps),
                     builder.resource(Kind::nic_in, "nic in " + name, nic_gbps)});
  }
  for (int32_t from = 0; from < sites; ++from) {
    for (int32_t to = 0; to < sites; ++to) {
      if (from == to) continue;
      const auto& out = ports[static_cast<size_t>(from)];
      const auto& in = ports[static_cast<size_t>(to)];
      builder.between(from, to) = from / sites_per_node == to / sites_per_node
                                      ? builder.route({out[0], in[1]})
                                      : builder.route({out[2], in[3]});
    }
  }
  return builder.topology();
}

Topology on_devices(const Topology& machine, std::span<const int32_t> device_of) {
  Topology out = machine;
  out.routes.push_back({});
  const auto within = static_cast<int32_t>(out.routes.size()) - 1;
  out.device_of.assign(device_of.begin(), device_of.end());
  out.route_of.clear();
  for (int32_t a : device_of) {
    for (int32_t b : device_of) {
      const size_t pair = static_cast<size_t>(a * machine.sites() + b);
      out.route_of.push_back(a == b ? within : machine.route_of[pair]);
    }
  }
  for (size_t site = 0; site < device_of.size(); ++site) {
    out.route_of[site * device_of.size() + site] = -1;
  }
  return out;
}

Topology random_machine(std::mt19937_64& random) {
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  Topology out;
  if (number(0, 3) == 0) {
    out = switched_machine(number(1, 3), 2, 10 * number(1, 30), number(1, 20), 100 * number(1, 9));
  } else {
    const int32_t sites = number(2, 6);
    std::vector<TestLink> links;
    for (int32_t a = 0; a < sites; ++a) {
      for (int32_t b = a + 1; b < sites; ++b) {
        // A ring at the least, so that all sites can be reached.
        if (b == a + 1 || number(0, 1) == 0) links.push_back({a, b, 5.0 * number(1, 10)});
      }
    }
    out = linked_machine(sites, links, number(0, 2) == 0 ? 0 : number(1, 20), 50 * number(1, 20));
    for (Route& route : out.routes) {
      // Some links share a resource further on, as those through one switch do.
      if (number(0, 4) == 0) route.resources.push_back(ResourceId(number(0, 1)));
      std::ranges::sort(route.resources);
      route.resources.erase(std::unique(route.resources.begin(), route.resources.end()),
                            route.resources.end());
    }
  }
  if (number(0, 1) == 0) {
    for (Route& route : out.routes) route.latency_us = number(0, 50);
    for (Device& device : out.devices) device.kernel_latency_us = number(0, 20);
  }
  if (number(0, 3) == 0) {
    std::vector<int32_t> device_of;
    for (int i = number(2, 6); i > 0; --i) {
      device_of.push_back(number(0, static_cast<int>(out.sites()) - 1));
    }
    out = on_devices(out, device_of);
  }
  if (number(0, 9) == 0) {
    out.handover = true;
    out.workers = 2;
    for (Route& route : out.routes) route.resources.clear();
  }
  return out;
}

}  // namespace einsummable::exchange
