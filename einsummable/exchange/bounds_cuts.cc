// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds_cuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace einsummable::exchange {
namespace {

constexpr int32_t every_set_up_to = 10;  // places
constexpr double us_per_ms = 1e3;

// Sums the capacity of resources, each once.
class Capacity {
 public:
  explicit Capacity(const std::vector<Resource>& resources)
      : resources_(resources), counted_(resources.size(), false) {}
  void count(int32_t resource) {
    const auto i = static_cast<size_t>(resource);
    if (counted_[i]) return;
    counted_[i] = true;
    sum_ += resources_[i].gbps;
  }
  double sum() const { return sum_; }

 private:
  const std::vector<Resource>& resources_;
  std::vector<bool> counted_;
  double sum_ = 0;
};

int32_t narrowest(const Way& way, const std::vector<Resource>& resources) {
  return *std::ranges::min_element(way.resources, {}, [&](int32_t resource) {
    return resources[static_cast<size_t>(resource)].gbps;
  });
}

}  // namespace

template <class Chosen>
Passage CutTable::passage(Chosen&& chosen) const {
  Capacity first(topology_.resources), last(topology_.resources), least(topology_.resources);
  double latency_us = std::numeric_limits<double>::infinity();
  for (const Way& way : places_.ways) {
    if (!chosen(way)) continue;
    first.count(way.resources.front());
    last.count(way.resources.back());
    least.count(narrowest(way, topology_.resources));
    latency_us = std::min(latency_us, way.latency_us);
  }
  return {std::min({first.sum(), last.sum(), least.sum()}), latency_us / us_per_ms};
}

Passage CutTable::memory(const PlaceSet& inside) const {
  std::vector<bool> counted(topology_.devices.size(), false);
  Passage out{0, std::numeric_limits<double>::infinity()};
  bool stated = true;
  for (int32_t place : inside.members()) {
    for (int32_t id : places_.devices[static_cast<size_t>(place)]) {
      const Device& device = topology_.devices[static_cast<size_t>(id)];
      if (counted[static_cast<size_t>(id)]) continue;
      counted[static_cast<size_t>(id)] = true;
      out.gbps += device.hbm_gbps;
      out.latency_ms = std::min(out.latency_ms, device.kernel_latency_us / us_per_ms);
      stated = stated && device.hbm_gbps > 0;
    }
  }
  if (!stated) out.gbps = 0;
  return out;
}

void CutTable::add(const PlaceSet& wanted) {
  const PlaceSet all = places_.all();
  for (const PlaceSet& inside : {wanted, all.without(wanted)}) {
    if (inside.empty() || inside == all) continue;
    if (std::ranges::any_of(cuts_, [&](const Cut& cut) { return cut.inside == inside; })) continue;
    add_cut(inside);
  }
}

void CutTable::add_cut(const PlaceSet& inside) {
  const auto in = [&](int32_t place) { return inside.contains(place); };
  Cut cut{.inside = inside};
  for (int32_t place : inside.members()) {
    cut.sites_inside += std::ssize(places_.sites[static_cast<size_t>(place)]);
  }
  cut.out = passage([&](const Way& way) { return in(way.from) && !in(way.to); });
  cut.in = passage([&](const Way& way) { return !in(way.from) && in(way.to); });
  cut.across = passage([&](const Way& way) { return in(way.from) != in(way.to); });
  cut.to = passage([&](const Way& way) { return in(way.to); });
  cut.from = passage([&](const Way& way) { return in(way.from); });
  cut.memory = memory(inside);
  cuts_.push_back(std::move(cut));
}

void CutTable::add_around_resources() {
  std::vector<PlaceSet> senders(topology_.resources.size()), receivers(topology_.resources.size());
  for (const Way& way : places_.ways) {
    for (int32_t resource : way.resources) {
      senders[static_cast<size_t>(resource)].insert(way.from);
      receivers[static_cast<size_t>(resource)].insert(way.to);
    }
  }
  for (const PlaceSet& places : senders) add(places);
  for (const PlaceSet& places : receivers) add(places);
}

// Places with ways between them that no network card is on, and unions of such nodes.
void CutTable::add_nodes() {
  std::vector<int32_t> node(static_cast<size_t>(places_.count()));
  std::iota(node.begin(), node.end(), 0);
  for (const Way& way : places_.ways) {
    const bool network = std::ranges::any_of(way.resources, [&](int32_t resource) {
      const auto kind = topology_.resources[static_cast<size_t>(resource)].kind;
      return kind == Resource::Kind::nic_in || kind == Resource::Kind::nic_out;
    });
    const int32_t a = node[static_cast<size_t>(way.from)], b = node[static_cast<size_t>(way.to)];
    if (!network) std::ranges::replace(node, std::max(a, b), std::min(a, b));
  }
  std::vector<PlaceSet> nodes;
  for (int32_t first = 0; first < places_.count(); ++first) {
    PlaceSet members;
    for (int32_t place = 0; place < places_.count(); ++place) {
      if (node[static_cast<size_t>(place)] == first) members.insert(place);
    }
    if (!members.empty()) nodes.push_back(members);
  }
  if (nodes.size() > every_set_up_to) {
    for (const PlaceSet& members : nodes) add(members);
    return;
  }
  for (uint32_t chosen = 1; chosen < (uint32_t{1} << nodes.size()); ++chosen) {
    PlaceSet members;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if ((chosen >> i & 1) != 0) members = members | nodes[i];
    }
    add(members);
  }
}

void CutTable::add_distances() {
  const int32_t n = places_.count();
  const auto at = [n](int32_t from, int32_t to) { return static_cast<size_t>(from * n + to); };
  distance_ms_.assign(static_cast<size_t>(n * n), std::numeric_limits<double>::infinity());
  for (int32_t place = 0; place < n; ++place) distance_ms_[at(place, place)] = 0;
  for (const Way& way : places_.ways) {
    double& known = distance_ms_[at(way.from, way.to)];
    known = std::min(known, way.latency_us / us_per_ms);
  }
  for (int32_t via = 0; via < n; ++via) {
    for (int32_t from = 0; from < n; ++from) {
      for (int32_t to = 0; to < n; ++to) {
        distance_ms_[at(from, to)] = std::min(
            distance_ms_[at(from, to)], distance_ms_[at(from, via)] + distance_ms_[at(via, to)]);
      }
    }
  }
}

CutTable::CutTable(const Topology& topology, std::span<const SiteId> sites)
    : topology_(topology), places_(find_places(topology, sites)) {
  const int32_t n = places_.count();
  if (n <= every_set_up_to) {
    for (uint32_t chosen = 1; chosen + 1 < (uint32_t{1} << n); ++chosen) {
      PlaceSet inside;
      for (int32_t place = 0; place < n; ++place) {
        if ((chosen >> place & 1) != 0) inside.insert(place);
      }
      add_cut(inside);
    }
  } else {
    for (int32_t place = 0; place < n; ++place) add(PlaceSet::single(place));
    for (int32_t size = 2; size < n; size *= 2) {
      for (int32_t first = 0; first < n; first += size) {
        add(PlaceSet::first(std::min(first + size, n)).without(PlaceSet::first(first)));
      }
    }
    add_around_resources();
    add_nodes();
  }
  add_cut(places_.all());
  everything_ = cuts_.size() - 1;
  add_distances();
}

}  // namespace einsummable::exchange
