// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// Machines made by hand, for tests that say what they need of one.
inline Topology empty_machine(int64_t sites, double hbm_gbps) {
  Topology t;
  t.name = "hand-made";
  for (int64_t s = 0; s < sites; ++s) {
    t.device_of.push_back(static_cast<int32_t>(s));
    Device device;
    device.name = std::to_string(s);
    device.hbm_gbps = hbm_gbps;
    t.devices.push_back(device);
  }
  t.route_of.assign(static_cast<size_t>(sites * sites), -1);
  return t;
}

inline ResourceId add_resource(Topology& t, Resource::Kind kind, std::string name, double gbps) {
  t.resources.push_back({kind, std::move(name), gbps});
  return ResourceId(static_cast<int64_t>(t.resources.size()) - 1);
}

inline void set_route(Topology& t, int64_t from, int64_t to, Route route) {
  t.route_of[static_cast<size_t>(from * t.sites() + to)] = static_cast<int32_t>(t.routes.size());
  t.routes.push_back(std::move(route));
}

}  // namespace einsummable::exchange
