// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "einsummable/base/id.h"

namespace einsummable {

struct ResourceTag {};
using ResourceId = Id<ResourceTag>;

// What the bytes of transfers pass through: at most `gbps` GB/s of them at once, of all transfers
// together.
struct Resource {
  enum class Kind : uint8_t { link, egress, ingress, bus, nic_out, nic_in };

  Kind kind = Kind::link;
  std::string name;  // "link 2->6", "egress 3", "bus pcie"
  double gbps = 0;
};

// The way of a transfer between two sites. It holds all its resources at once; a route without
// resources takes its latency alone (the sites share memory, and a transfer is a hand-over).
struct Route {
  std::vector<ResourceId> resources;
  double latency_us = 0;
};

// A physical thing that computes. Sites on one device share its memory and its way out and in.
struct Device {
  std::string name;                     // "0"
  int64_t memory_bytes = 0;             // 0: not stated
  double hbm_gbps = 0;                  // reads and writes of its memory together
  double kernel_latency_us = 0;         // before a kernel's work begins
  std::map<std::string, double> flops;  // dtype -> FLOP/s, dense
};

// The share of the peak rate that an operator reaches at a shape; the nearest in log shape counts.
struct Efficiency {
  std::string op;
  std::string dtype;
  std::vector<int64_t> shape;
  double fraction = 1;
};

// Sites, and what lies between them, as the cost models and the simulator see a machine. Made from
// a Machine by resolve(), for the sites of a plan: site s of the plan is site s here.
struct Topology {
  std::string name;
  std::vector<Device> devices;
  std::vector<int32_t> device_of;  // of each site; sites may share one
  std::vector<Resource> resources;
  std::vector<int32_t> route_of;  // [from * sites + to] -> routes; -1: no way, or from == to
  std::vector<Route> routes;
  int64_t workers = 0;    // kernels that run at once over all devices; 0: one a device
  bool handover = false;  // transfers move no bytes: all sites share one memory
  std::vector<Efficiency> efficiencies;

  int64_t sites() const { return static_cast<int64_t>(device_of.size()); }
  const Device& device(int64_t site) const {
    return devices[static_cast<size_t>(device_of[static_cast<size_t>(site)])];
  }
  const Resource& resource(ResourceId id) const { return resources[id.index()]; }
  // The way from one site to another; null if there is none.
  const Route* route(int64_t from, int64_t to) const {
    const int32_t id = route_of[static_cast<size_t>(from * sites() + to)];
    return id < 0 ? nullptr : &routes[static_cast<size_t>(id)];
  }
};

}  // namespace einsummable
