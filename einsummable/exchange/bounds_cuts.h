// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "einsummable/exchange/bounds_demand.h"
#include "einsummable/exchange/bounds_places.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// What can pass at once over a set of ways, in GB/s: at most the capacity of some resources of
// which every one of them takes one, shared ones counted once. And how long nothing passes at the
// least.
struct Passage {
  double gbps = 0;
  double latency_ms = 0;
};

// A set of places and what passes around it.
struct Cut {
  PlaceSet inside;
  int64_t sites_inside = 0;
  Passage out = {};     // leaving it
  Passage in = {};      // entering it
  Passage across = {};  // either way
  Passage to = {};      // to any place in it, from wherever
  Passage from = {};    // from any place in it
  Passage memory = {};  // of the devices in it; gbps 0: not stated
};

// A lower bound with what proves it.
struct Proof {
  enum class Kind : uint8_t { nothing, out, across, total, to, from, memory, latency };

  double ms = 0;
  Kind kind = Kind::nothing;
  int32_t cut = -1;
  double gb = 0;
  double gbps = 0;
  int32_t site_from = -1;  // of a latency
  int32_t site_to = -1;
};

// The sets of places of a machine that bounds look at: all of them up to 10 places; beyond that
// single places, those around each resource, those that no network card parts, blocks of 2, 4, 8,
// ... in order, and the rest of each of these.
class CutTable {
 public:
  // Of these sites of the topology, of all if none are named.
  explicit CutTable(const Topology& topology, std::span<const SiteId> sites = {});

  const Topology& topology() const { return topology_; }
  const Places& places() const { return places_; }
  std::span<const Cut> cuts() const { return cuts_; }
  // Before that no transfer's bytes flow.
  double least_latency_ms() const { return cuts_[everything_].from.latency_ms; }
  // Adds a set of places and its rest.
  void add(const PlaceSet& inside);

  // The largest of the bounds by cuts, volumes, memories and latencies.
  Proof prove(std::span<const Demand> demands, bool ideal) const;
  // In words: "cut {0,1,2,3}: 2 GB leave over 150 GB/s".
  std::string text(const Proof& proof) const;

 private:
  template <class Chosen>
  Passage passage(Chosen&& chosen) const;
  Passage memory(const PlaceSet& inside) const;
  void add_cut(const PlaceSet& inside);
  void add_around_resources();
  void add_nodes();
  void add_distances();
  int32_t places_for(int64_t sites) const;
  Proof prove_cut(const Cut& cut, std::span<const Demand> demands, bool ideal) const;
  Proof prove_memory(const Cut& cut, std::span<const Demand> demands, bool ideal) const;
  Proof prove_latency(std::span<const Demand> demands) const;
  int32_t first_site(int32_t cut) const;
  std::string set_text(const PlaceSet& places) const;

  Topology topology_;
  Places places_;
  std::vector<Cut> cuts_;
  size_t everything_ = 0;            // the cut of all places
  std::vector<double> distance_ms_;  // latencies on the way [from * places + to]
};

}  // namespace einsummable::exchange
