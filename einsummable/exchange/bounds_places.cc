// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "einsummable/base/error.h"

namespace einsummable::exchange {
namespace {

std::vector<int32_t> used_sites(const Topology& topology, std::span<const SiteId> sites) {
  std::vector<int32_t> out;
  if (sites.empty()) {
    out.resize(static_cast<size_t>(topology.sites()));
    std::iota(out.begin(), out.end(), 0);
  }
  for (SiteId site : sites) {
    if (site.value >= topology.sites()) {
      throw TopologyError("site " + std::to_string(site.value) + " is not on " + topology.name +
                          ", which has sites 0 to " + std::to_string(topology.sites() - 1));
    }
    out.push_back(site.value);
  }
  return out;
}

bool is_free(const Topology& topology, int32_t from, int32_t to) {
  const auto a = static_cast<size_t>(from), b = static_cast<size_t>(to);
  if (topology.handover || topology.device_of[a] == topology.device_of[b]) return true;
  const Route* route = topology.route(from, to);
  return route != nullptr && route->resources.empty();
}

// Joins sites with free ways between them; gives each its place, numbered by their first sites.
std::vector<int32_t> join(const Topology& topology, const std::vector<int32_t>& sites) {
  std::vector<int32_t> place_of(static_cast<size_t>(topology.sites()), -1);
  int32_t count = 0;
  for (int32_t first : sites) {
    if (place_of[static_cast<size_t>(first)] >= 0) continue;
    const int32_t place = std::min(count, PlaceSet::limit - 1);
    count = place + 1;
    std::vector<int32_t> open = {first};
    place_of[static_cast<size_t>(first)] = place;
    while (!open.empty()) {
      const int32_t site = open.back();
      open.pop_back();
      for (int32_t other : sites) {
        int32_t& known = place_of[static_cast<size_t>(other)];
        if (known >= 0 || !(is_free(topology, site, other) || is_free(topology, other, site))) {
          continue;
        }
        known = place;
        open.push_back(other);
      }
    }
  }
  return place_of;
}

}  // namespace

std::vector<int32_t> PlaceSet::members() const {
  std::vector<int32_t> out;
  for (int32_t place = 0; place < limit; ++place) {
    if (contains(place)) out.push_back(place);
  }
  return out;
}

Places find_places(const Topology& topology, std::span<const SiteId> sites) {
  const std::vector<int32_t> used = used_sites(topology, sites);
  Places out;
  out.place_of = join(topology, used);
  for (int32_t site : used) {
    const int32_t place = out.place_of[static_cast<size_t>(site)];
    if (place >= out.count()) {
      out.sites.emplace_back();
      out.devices.emplace_back();
    }
    out.sites[static_cast<size_t>(place)].push_back(site);
    auto& devices = out.devices[static_cast<size_t>(place)];
    const int32_t device = topology.device_of[static_cast<size_t>(site)];
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  std::map<std::tuple<int32_t, int32_t, std::vector<int32_t>>, double> ways;
  for (int32_t from : used) {
    for (int32_t to : used) {
      const int32_t a = out.place_of[static_cast<size_t>(from)];
      const int32_t b = out.place_of[static_cast<size_t>(to)];
      const Route* route = a == b ? nullptr : topology.route(from, to);
      if (route == nullptr) continue;
      std::vector<int32_t> resources;
      for (ResourceId id : route->resources) {
        const auto known = std::ranges::find(resources, id.value);
        if (known == resources.end()) resources.push_back(id.value);
      }
      const auto [known, added] = ways.try_emplace({a, b, resources}, route->latency_us);
      if (!added) known->second = std::min(known->second, route->latency_us);
    }
  }
  for (const auto& [way, latency] : ways) {
    out.ways.push_back({std::get<0>(way), std::get<1>(way), std::get<2>(way), latency});
  }
  return out;
}

}  // namespace einsummable::exchange
