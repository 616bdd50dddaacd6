// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

// Cheapest trees under prices: how data is gathered at a site, or spread from one.
namespace einsummable::synthesis {

inline constexpr double no_way = std::numeric_limits<double>::infinity();

// What a byte costs. Hops should cost a little at least: trees are then not longer than need be.
struct Prices {
  int32_t sites = 0;
  std::vector<double> hop;    // [from * sites + to]: to send it; no_way where there is no route
  std::vector<double> merge;  // of a site: to read or write it once through the site's memory

  double send(int32_t from, int32_t to) const {
    return hop[static_cast<size_t>(from) * static_cast<size_t>(sites) + static_cast<size_t>(to)];
  }
};

// One transfer of a tree. `next` is the hop beside it on the side of the root, -1 at the root: of
// gathering, the hop that takes on what this one brings; of spreading, the hop that brings what
// this one takes on.
struct Hop {
  int32_t from = 0;
  int32_t to = 0;
  int32_t next = -1;

  bool operator==(const Hop&) const = default;
};

// Something to be gathered: `parts` aggregates that are together at each of the holders.
struct Terminal {
  std::vector<int32_t> holders;  // sorted, at least one
  int32_t parts = 1;

  auto operator<=>(const Terminal&) const = default;
};

// A tree of transfers, hops nearer to the root first.
struct Branches {
  double price = 0;
  std::vector<Hop> hops;
  // Of gathering, of each terminal: the hop it goes into (-1: it is used at the root).
  std::vector<int32_t> enters;

  // Puts hops in the order of level, from and to, so that equal trees have equal hops.
  void sort();
};

// The cheapest trees that gather the terminals at any root, by the dynamic program of Dreyfus and
// Wagner over sets of terminals: O(3^t n + 2^t n^2) for t terminals and n sites, exact. Merging k
// parts at a site costs k + 1 of its merge price.
class GatherTable {
 public:
  static constexpr size_t terminal_limit = 8;

  GatherTable(const Prices& prices, std::span<const Terminal> terminals);
  // Of a byte; no_way if the root cannot be reached from every terminal.
  double price(int32_t root) const { return whole_[entry(full_, root)]; }
  Branches tree(int32_t root) const;

 private:
  size_t entry(uint32_t set, int32_t site) const {
    return static_cast<size_t>(set) * static_cast<size_t>(prices_.sites) +
           static_cast<size_t>(site);
  }
  void place(uint32_t set, const Terminal& terminal);
  void merge(uint32_t set);
  void send(uint32_t set);

  const Prices& prices_;
  std::vector<double> cheapest_into_;  // the cheapest hop to each site
  uint32_t full_;
  // Of a set at a site: as one aggregate, and as parts that wait to be merged (their reads paid).
  std::vector<double> whole_, parts_;
  std::vector<int32_t> from_;     // whole: the site it comes from; -1: from the parts here
  std::vector<uint32_t> halves_;  // parts: one half of the set; the set itself: the whole; 0: those
                                  // of the terminal
};

// The prices of the same hops taken backwards: what gathers under them spreads under the others.
// Merging is free, as what spreads is not merged.
Prices reversed(const Prices& prices);

// The cheapest tree of hops from the root to every other site (Chu, Liu and Edmonds), exact. None
// if a site cannot be reached. O(n^3).
std::optional<Branches> spanning_tree(const Prices& prices, int32_t root);

// A tree from the root to all targets, grown from the root by the cheapest path to the nearest
// target left (Prim and Dijkstra): at most twice as dear as the cheapest where prices are the same
// both ways. None if a target cannot be reached.
std::optional<Branches> grown_tree(const Prices& prices, int32_t root,
                                   std::span<const int32_t> targets);

// Hangs what can be reached from nearer to the root there, if that costs at most `level` more a
// level: with 0, of trees of the same price a shallow one. `tree` leads away from the root. Drops
// hops that lead to none of the needed sites then.
void flatten(const Prices& prices, int32_t root, Branches& tree, std::span<const int32_t> needed,
             double level = 0);

}  // namespace einsummable::synthesis
