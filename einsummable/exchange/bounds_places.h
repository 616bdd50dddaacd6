// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// A set of places.
class PlaceSet {
 public:
  static constexpr int32_t limit = 128;  // places are 0 to 127

  PlaceSet() = default;
  // Places 0 to count - 1.
  static PlaceSet first(int32_t count) {
    PlaceSet out;
    for (int32_t place = 0; place < count; ++place) out.insert(place);
    return out;
  }
  static PlaceSet single(int32_t place) {
    PlaceSet out;
    out.insert(place);
    return out;
  }

  void insert(int32_t place) { word(place) |= bit(place); }
  bool contains(int32_t place) const {
    return (words_[static_cast<size_t>(place / 64)] & bit(place)) != 0;
  }
  bool empty() const { return (words_[0] | words_[1]) == 0; }
  int32_t size() const { return std::popcount(words_[0]) + std::popcount(words_[1]); }
  bool within(const PlaceSet& other) const {
    return ((words_[0] & ~other.words_[0]) | (words_[1] & ~other.words_[1])) == 0;
  }
  bool meets(const PlaceSet& other) const { return !(*this & other).empty(); }
  PlaceSet operator&(const PlaceSet& other) const {
    return PlaceSet(words_[0] & other.words_[0], words_[1] & other.words_[1]);
  }
  PlaceSet operator|(const PlaceSet& other) const {
    return PlaceSet(words_[0] | other.words_[0], words_[1] | other.words_[1]);
  }
  PlaceSet without(const PlaceSet& other) const {
    return PlaceSet(words_[0] & ~other.words_[0], words_[1] & ~other.words_[1]);
  }
  auto operator<=>(const PlaceSet&) const = default;

  // In ascending order.
  std::vector<int32_t> members() const;

 private:
  PlaceSet(uint64_t low, uint64_t high) : words_{low, high} {}
  static uint64_t bit(int32_t place) { return uint64_t{1} << (place % 64); }
  uint64_t& word(int32_t place) { return words_[static_cast<size_t>(place / 64)]; }

  std::array<uint64_t, 2> words_ = {0, 0};
};

// A way between two places that some transfer may take.
struct Way {
  int32_t from = 0;
  int32_t to = 0;
  std::vector<int32_t> resources;  // of the topology, at least one
  double latency_us = 0;           // the least of the routes that pass these resources
};

// Where data lies as bounds see it: sites between which it moves for nothing (they are on one
// device, or share a memory) are one place. What one place is taken for several sites only ever
// lowers a bound, so past the limit all further sites are one place too.
struct Places {
  std::vector<int32_t> place_of;              // of each site of the topology; -1: not in use
  std::vector<std::vector<int32_t>> sites;    // of each place
  std::vector<std::vector<int32_t>> devices;  // of each place
  std::vector<Way> ways;

  int32_t count() const { return static_cast<int32_t>(sites.size()); }
  PlaceSet all() const { return PlaceSet::first(count()); }
};

// The places of these sites; of all sites of the topology if none are named. Throws TopologyError
// if the topology lacks one.
Places find_places(const Topology& topology, std::span<const SiteId> sites);

}  // namespace einsummable::exchange
