// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/resolve.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

using Kind = Resource::Kind;

constexpr int32_t kNone = -1;

// "3", "0-7", "0, 2": the sites that share a NIC.
std::string sites_text(const std::vector<int64_t>& sites) {
  std::vector<int64_t> sorted = sites;
  std::ranges::sort(sorted);
  const int64_t first = sorted.front(), last = sorted.back();
  if (sorted.size() > 2 && last - first + 1 == std::ssize(sorted)) {
    return std::to_string(first) + "-" + std::to_string(last);
  }
  std::vector<std::string> out;
  for (int64_t site : sorted) out.push_back(std::to_string(site));
  return join(out, ", ");
}

// The tables of a machine by site and by pair.
class Index {
 public:
  explicit Index(const Machine& machine)
      : machine_(machine),
        count_(machine.most_sites()),
        node_of_(place(machine.nodes)),
        switch_of_(place(machine.switches)),
        nic_of_(place(machine.nics)) {
    for (size_t i = 0; i < machine.links.size(); ++i) {
      for (const auto& [a, b] : machine.links[i].pairs) {
        links_[key(a, b)] = static_cast<int32_t>(i);
        if (machine.links[i].both) links_[key(b, a)] = static_cast<int32_t>(i);
      }
    }
    for (size_t i = 0; i < machine.buses.size(); ++i) {
      if (machine.buses[i].unlinked) unlinked_bus_ = static_cast<int32_t>(i);
      for (const auto& [a, b] : machine.buses[i].pairs) {
        buses_[key(a, b)] = buses_[key(b, a)] = static_cast<int32_t>(i);
      }
      bus_names_[machine.buses[i].name] = static_cast<int32_t>(i);
    }
  }

  int32_t node_of(int64_t site) const { return node_of_[static_cast<size_t>(site)]; }
  int32_t switch_of(int64_t site) const { return switch_of_[static_cast<size_t>(site)]; }
  int32_t nic_of(int64_t site) const { return nic_of_[static_cast<size_t>(site)]; }
  int32_t link_of(int64_t from, int64_t to) const { return find(links_, key(from, to)); }
  int32_t bus_of(int64_t a, int64_t b) const {
    const int32_t own = find(buses_, key(a, b));
    return own == kNone ? unlinked_bus_ : own;
  }
  int32_t bus_named(std::string_view name) const { return bus_names_.at(std::string(name)); }

 private:
  int64_t key(int64_t from, int64_t to) const { return from * count_ + to; }

  static int32_t find(const std::unordered_map<int64_t, int32_t>& map, int64_t key) {
    const auto found = map.find(key);
    return found == map.end() ? kNone : found->second;
  }

  // Which element each site is in.
  template <class T>
  std::vector<int32_t> place(const std::vector<T>& tables) const {
    std::vector<int32_t> out(static_cast<size_t>(count_), kNone);
    for (size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].sites.empty()) std::ranges::fill(out, static_cast<int32_t>(i));
      for (int64_t site : tables[i].sites) out[static_cast<size_t>(site)] = static_cast<int32_t>(i);
    }
    return out;
  }

  const Machine& machine_;
  int64_t count_;
  std::vector<int32_t> node_of_, switch_of_, nic_of_;
  std::unordered_map<int64_t, int32_t> links_, buses_;
  std::unordered_map<std::string, int32_t> bus_names_;
  int32_t unlinked_bus_ = kNone;
};

class Resolver {
 public:
  Resolver(const Machine& machine, std::span<const int64_t> devices)
      : machine_(machine), index_(machine) {
    out_.name = machine.name;
    place_devices(devices);
    if (machine.compute) {
      out_.workers = machine.compute->workers;
      out_.handover = machine.compute->handover;
    }
    for (const Machine::Fraction& table : machine.efficiencies) {
      out_.efficiencies.push_back(table.efficiency);
    }
  }

  Topology run() {
    const size_t count = numbers_.size();
    if (!machine_.routes.empty()) {
      given_.resize(count * count, nullptr);
      returns_.resize(count * count);
    }
    for (const Machine::Way& way : machine_.routes) give(way);
    std::vector<int32_t> ways(count * count, kNone);
    for (size_t from = 0; from < count; ++from) {
      for (size_t to = 0; to < count; ++to) {
        if (from != to) ways[from * count + to] = way(from, to);
      }
    }
    const auto sites = static_cast<size_t>(out_.sites());
    out_.route_of.resize(sites * sites, kNone);
    for (size_t s = 0; s < sites; ++s) {
      for (size_t t = 0; t < sites; ++t) {
        const auto a = static_cast<size_t>(out_.device_of[s]);
        const auto b = static_cast<size_t>(out_.device_of[t]);
        if (s != t) out_.route_of[s * sites + t] = a == b ? within_device() : ways[a * count + b];
      }
    }
    return std::move(out_);
  }

 private:
  void place_devices(std::span<const int64_t> devices) {
    std::unordered_map<int64_t, int32_t> known;
    for (int64_t number : devices) {
      const auto [found, added] = known.emplace(number, static_cast<int32_t>(numbers_.size()));
      out_.device_of.push_back(found->second);
      if (!added) continue;
      numbers_.push_back(number);
      out_.devices.push_back({.name = std::to_string(number),
                              .memory_bytes = machine_.sites.memory_bytes,
                              .hbm_gbps = machine_.sites.hbm_gbps,
                              .kernel_latency_us = machine_.sites.kernel_latency_us,
                              .flops = machine_.sites.flops});
    }
    position_of_ = std::move(known);
  }

  // Notes the way for those of its pairs that are asked for.
  void give(const Machine::Way& way) {
    const auto positions = [&](const std::vector<int64_t>& sites) {
      std::vector<size_t> out;
      for (int64_t site : sites) {
        const auto found = position_of_.find(site);
        if (found != position_of_.end()) out.push_back(static_cast<size_t>(found->second));
      }
      return out;
    };
    const std::vector<size_t> from = positions(way.from), to = positions(way.to);
    for (size_t a : from) {
      for (size_t b : to) {
        if (a == b) continue;
        given_[a * numbers_.size() + b] = &way;
        if (!way.both) continue;
        given_[b * numbers_.size() + a] = &way;
        returns_[b * numbers_.size() + a] = true;
      }
    }
  }

  int32_t way(size_t from, size_t to) {
    if (out_.handover) return shared_route(handover_, machine_.compute->handover_us);
    const int64_t a = numbers_[from], b = numbers_[to];
    const size_t pair = from * numbers_.size() + to;
    Route route;
    if (!given_.empty() && given_[pair]) {
      follow(route, *given_[pair], a, b, returns_[pair]);
    } else if (index_.link_of(a, b) != kNone) {
      link(route, a, b);
    } else if (index_.switch_of(a) != kNone && index_.switch_of(a) == index_.switch_of(b)) {
      port(route, Kind::egress, a);
      port(route, Kind::ingress, b);
    } else if (index_.node_of(a) != index_.node_of(b)) {
      if (index_.nic_of(a) == kNone || index_.nic_of(b) == kNone) return kNone;
      port(route, Kind::nic_out, a);
      port(route, Kind::nic_in, b);
    } else if (const int32_t found = index_.bus_of(a, b); found != kNone) {
      if (bus_routes_.empty()) bus_routes_.resize(machine_.buses.size(), kNone);
      int32_t& known = bus_routes_[static_cast<size_t>(found)];
      if (known != kNone) return known;
      bus(route, found);
      return known = add(std::move(route));
    } else {
      return kNone;
    }
    return add(std::move(route));
  }

  void follow(Route& route, const Machine::Way& way, int64_t from, int64_t to, bool back) {
    std::vector<Passage> via;
    for (const std::string& text : way.via) via.push_back(*parse_passage(text));
    if (back) {
      std::ranges::reverse(via);
      for (Passage& passage : via) passage = reversed(passage);
    }
    for (const Passage& passage : via) {
      const bool leaves = passage.kind == Kind::egress || passage.kind == Kind::nic_out;
      if (passage.kind == Kind::bus) {
        bus(route, index_.bus_named(passage.bus));
      } else if (passage.kind == Kind::link) {
        link(route, passage.from, passage.to);
      } else {
        const int64_t end = leaves ? from : to;
        port(route, passage.kind, passage.from < 0 ? end : passage.from);
      }
    }
    if (way.latency_us) route.latency_us = *way.latency_us;
  }

  static Passage reversed(Passage passage) {
    static constexpr std::pair<Kind, Kind> opposite[] = {{Kind::egress, Kind::ingress},
                                                         {Kind::nic_out, Kind::nic_in}};
    for (const auto& [out, in] : opposite) {
      if (passage.kind == out || passage.kind == in) {
        passage.kind = passage.kind == out ? in : out;
        return passage;
      }
    }
    std::swap(passage.from, passage.to);
    return passage;
  }

  void link(Route& route, int64_t from, int64_t to) {
    const Machine::Link& table = machine_.links[static_cast<size_t>(index_.link_of(from, to))];
    hold(route, {Kind::link, from, to}, table.gbps,
         [&] { return "link " + std::to_string(from) + "->" + std::to_string(to); });
    route.latency_us += table.latency_us;
  }

  void bus(Route& route, int32_t number) {
    const Machine::Bus& table = machine_.buses[static_cast<size_t>(number)];
    hold(route, {Kind::bus, number, 0}, table.gbps, [&] { return "bus " + table.name; });
    route.latency_us += table.latency_us;
  }

  // A site's way into its switch or NIC, or out of it.
  void port(Route& route, Kind kind, int64_t site) {
    const bool out = kind == Kind::egress || kind == Kind::nic_out;
    if (kind == Kind::egress || kind == Kind::ingress) {
      const auto& table = machine_.switches[static_cast<size_t>(index_.switch_of(site))];
      hold(route, {kind, site, 0}, out ? table.egress_gbps : table.ingress_gbps,
           [&] { return (out ? "egress " : "ingress ") + std::to_string(site); });
      if (out) route.latency_us += table.latency_us;
      return;
    }
    const auto& table = machine_.nics[static_cast<size_t>(index_.nic_of(site))];
    // A shared NIC counts as that of the first of its sites.
    const bool all = table.sites.empty();
    const int64_t owner = !table.shared ? site : all ? 0 : table.sites.front();
    hold(route, {kind, owner, 0}, out ? table.egress_gbps : table.ingress_gbps, [&] {
      const std::string whose = !table.shared ? std::to_string(site)
                                : all         ? "of all"
                                              : sites_text(table.sites);
      return (out ? "nic out " : "nic in ") + whose;
    });
    if (out) route.latency_us += table.latency_us;
  }

  struct Key {
    Kind kind;
    int64_t a, b;
    auto operator<=>(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      const auto mixed = static_cast<uint64_t>(key.a * MachineLimits::sites + key.b);
      return static_cast<size_t>((mixed * 8 + static_cast<uint64_t>(key.kind)) *
                                 0x9e3779b97f4a7c15u);
    }
  };

  // The same thing twice on a route counts once.
  template <class Name>
  void hold(Route& route, const Key& key, double gbps, const Name& name) {
    const auto [found, added] =
        resources_.emplace(key, ResourceId(static_cast<int64_t>(out_.resources.size())));
    if (added) out_.resources.push_back({.kind = key.kind, .name = name(), .gbps = gbps});
    if (std::ranges::find(route.resources, found->second) == route.resources.end()) {
      route.resources.push_back(found->second);
    }
  }

  int32_t add(Route route) {
    out_.routes.push_back(std::move(route));
    return static_cast<int32_t>(out_.routes.size()) - 1;
  }
  int32_t shared_route(int32_t& known, double latency_us) {
    if (known == kNone) known = add({.resources = {}, .latency_us = latency_us});
    return known;
  }
  int32_t within_device() {
    return out_.handover ? shared_route(handover_, machine_.compute->handover_us)
                         : shared_route(within_, 0);
  }

  const Machine& machine_;
  Index index_;
  Topology out_;
  std::vector<int64_t> numbers_;  // of the devices in use
  std::unordered_map<int64_t, int32_t> position_of_;
  std::vector<const Machine::Way*> given_;  // by pair of devices; empty: none
  std::vector<bool> returns_;               // the given way is followed backwards
  std::unordered_map<Key, ResourceId, Hash> resources_;
  std::vector<int32_t> bus_routes_;
  int32_t handover_ = kNone, within_ = kNone;
};

}  // namespace

Topology resolve(const Machine& machine, std::span<const int64_t> devices) {
  const int64_t most = machine.most_sites();
  if (devices.empty() || std::ssize(devices) > MachineLimits::sites) {
    throw TopologyError("a plan has from 1 to " + std::to_string(MachineLimits::sites) +
                        " sites, not " + std::to_string(devices.size()));
  }
  for (int64_t device : devices) {
    if (device >= 0 && device < most) continue;
    throw TopologyError(machine.name + " has no device " + std::to_string(device) +
                        "; it has 0 to " + std::to_string(most - 1) +
                        " (several sites may be on one: devices=[0, 0, 1, 1])");
  }
  verify(machine, machine.name);
  return Resolver(machine, devices).run();
}

Topology resolve_first(const Machine& machine, int64_t count) {
  const int64_t most = machine.most_sites();
  if (count > most) {
    throw TopologyError(machine.name + " has " + std::to_string(most) + " devices, not " +
                        std::to_string(count) +
                        "; ask for fewer, take a larger topology, or put several sites on a "
                        "device: devices=[0, 0, 1, 1]");
  }
  std::vector<int64_t> devices(static_cast<size_t>(std::max<int64_t>(0, count)));
  std::iota(devices.begin(), devices.end(), 0);
  return resolve(machine, devices);
}

void require_sites(const Topology& topology, int64_t sites) {
  if (topology.sites() >= sites) return;
  throw TopologyError("the plan is for " + std::to_string(sites) + " sites, " + topology.name +
                      " has " + std::to_string(topology.sites()));
}

}  // namespace einsummable
