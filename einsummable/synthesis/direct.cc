// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/direct.h"

#include <algorithm>
#include <map>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }

double demand_bytes(const Commodity& commodity) {
  return commodity.bytes / static_cast<double>(commodity.demands.size());
}

// The time of each hop for a demand of so many bytes, in ms.
Prices times_of(const Network& network, double bytes) {
  constexpr double ms_per_us = 1e-3;
  const int32_t n = network.sites();
  Prices times{.sites = n, .hop = {}, .merge = std::vector<double>(index(n), 0)};
  for (int32_t a = 0; a < n; ++a) {
    for (int32_t b = 0; b < n; ++b) {
      const Route* way = a == b ? nullptr : network.route(a, b);
      double time = way == nullptr ? no_way : way->latency_us * ms_per_us;
      double flow = 0;
      for (int32_t row : network.rows(a, b))
        flow = std::max(flow, bytes / network.rates()[index(row)]);
      times.hop.push_back(time + flow);
    }
  }
  return times;
}

// Whether no way of several hops is faster than one hop, as there is one between any two sites
// and the slowest takes no longer than two of the fastest.
bool all_direct(const Prices& times) {
  double least = no_way, most = 0;
  for (int32_t a = 0; a < times.sites; ++a) {
    for (int32_t b = 0; b < times.sites; ++b) {
      if (a == b) continue;
      least = std::min(least, times.send(a, b));
      most = std::max(most, times.send(a, b));
    }
  }
  return most <= 2 * least;
}

// The fastest ways from the nearest of some sites, or to it.
class Ways {
 public:
  // `direct`: all_direct() of the times.
  Ways(const Prices& times, std::span<const int32_t> ends, bool direct)
      : times_(times), time_(index(times.sites), no_way), next_(index(times.sites), -1) {
    for (int32_t s : ends) time_[index(s)] = 0;
    direct ? take_hops(ends) : search();
  }

  double time(int32_t site) const { return time_[index(site)]; }
  // Of the sites on the ways to these.
  Branches tree(std::span<const int32_t> sites) const {
    std::vector<bool> needed(index(times_.sites), false);
    for (int32_t s : sites) {
      for (; s >= 0 && !needed[index(s)]; s = next_[index(s)]) needed[index(s)] = true;
    }
    std::vector<int32_t> order;
    for (int32_t s = 0; s < times_.sites; ++s) {
      if (needed[index(s)] && next_[index(s)] >= 0) order.push_back(s);
    }
    std::ranges::stable_sort(order, {}, [&](int32_t s) { return hops_to(s); });
    Branches tree;
    std::vector<int32_t> hop_into(index(times_.sites), -1);
    for (int32_t s : order) {
      hop_into[index(s)] = static_cast<int32_t>(tree.hops.size());
      tree.hops.push_back({next_[index(s)], s, hop_into[index(next_[index(s)])]});
    }
    return tree;
  }

 private:
  void take_hops(std::span<const int32_t> ends) {
    for (int32_t end : ends) {
      for (int32_t s = 0; s < times_.sites; ++s) {
        if (times_.send(end, s) < time_[index(s)]) {
          time_[index(s)] = times_.send(end, s);
          next_[index(s)] = end;
        }
      }
    }
  }

  void search() {
    std::vector<bool> done(index(times_.sites), false);
    for (int32_t round = 0; round < times_.sites; ++round) {
      int32_t at = -1;
      for (int32_t s = 0; s < times_.sites; ++s) {
        if (!done[index(s)] && time_[index(s)] != no_way &&
            (at < 0 || time_[index(s)] < time_[index(at)]))
          at = s;
      }
      if (at < 0) break;
      done[index(at)] = true;
      for (int32_t s = 0; s < times_.sites; ++s) {
        const double through = time_[index(at)] + times_.send(at, s);
        if (through >= time_[index(s)]) continue;
        time_[index(s)] = through;
        next_[index(s)] = at;
      }
    }
  }

  int32_t hops_to(int32_t site) const {
    int32_t hops = 0;
    for (; next_[index(site)] >= 0; site = next_[index(site)]) ++hops;
    return hops;
  }

  const Prices& times_;
  std::vector<double> time_;
  std::vector<int32_t> next_;
};

// The ways from each site and to it, for a demand of some bytes.
struct AllWays {
  AllWays(const Network& network, double bytes)
      : times(times_of(network, bytes)), backwards(reversed(times)), direct(all_direct(times)) {
    from.reserve(index(times.sites));
    for (int32_t site = 0; site < times.sites; ++site) {
      from.emplace_back(times, std::span(&site, 1), direct);
      to.emplace_back(backwards, std::span(&site, 1), direct);
    }
  }
  AllWays(const AllWays&) = delete;  // the ways refer to the times
  AllWays& operator=(const AllWays&) = delete;

  Prices times, backwards;
  bool direct;
  std::vector<Ways> from, to;
};

// Those of each number of bytes, found when first asked for.
class WaysByBytes {
 public:
  explicit WaysByBytes(const Network& network) : network_(network) {}
  const AllWays& operator()(const Commodity& commodity) {
    const double bytes = demand_bytes(commodity);
    return known_.try_emplace(bytes, network_, bytes).first->second;
  }

 private:
  const Network& network_;
  std::map<double, AllWays> known_;
};

int32_t nearest(const Ways& ways, const Terminal& terminal) {
  return *std::ranges::min_element(terminal.holders, {}, [&](int32_t s) { return ways.time(s); });
}

// A gathering tree out of ways that lead away from the root.
Branches gathering(const Ways& ways, const Commodity& commodity) {
  std::vector<int32_t> sites;
  for (const Terminal& t : commodity.terminals) sites.push_back(nearest(ways, t));
  Branches tree = ways.tree(sites);
  for (int32_t s : sites) {
    const auto into = std::ranges::find(tree.hops, s, &Hop::to);
    tree.enters.push_back(into == tree.hops.end() ? -1
                                                  : static_cast<int32_t>(into - tree.hops.begin()));
  }
  for (Hop& hop : tree.hops) std::swap(hop.from, hop.to);
  return tree;
}

double last(const Ways& ways, std::span<const int32_t> sites) {
  double time = 0;
  for (int32_t s : sites) time = std::max(time, ways.time(s));
  return time;
}

std::optional<Tree> spread_from_holders(const AllWays& all, const Commodity& commodity) {
  const std::vector<int32_t>& holders = commodity.terminals[0].holders;
  const auto tree = [&](const Ways& ways) -> std::optional<Tree> {
    if (last(ways, commodity.targets) == no_way) return std::nullopt;
    return Tree{.gather = {}, .root = -1, .spread = ways.tree(commodity.targets)};
  };
  return holders.size() == 1 ? tree(all.from[index(holders[0])])
                             : tree(Ways(all.times, holders, all.direct));
}

std::optional<Tree> fastest(const AllWays& ways, const Commodity& commodity,
                            std::vector<int32_t>& turns) {
  if (commodity.formed) return spread_from_holders(ways, commodity);
  int32_t best = -1;
  double least = no_way;
  for (int32_t root = 0; root < ways.times.sites; ++root) {
    const Ways& to = ways.to[index(root)];
    double time = 0;
    for (const Terminal& t : commodity.terminals) time = std::max(time, to.time(nearest(to, t)));
    if (time == no_way) continue;
    time += commodity.growth * last(ways.from[index(root)], commodity.targets);
    const bool same = best >= 0 && time == least;
    if (time < least || (same && turns[index(root)] < turns[index(best)])) {
      best = root;
      least = time;
    }
  }
  if (least == no_way) return std::nullopt;
  ++turns[index(best)];
  return Tree{.gather = gathering(ways.to[index(best)], commodity),
              .root = best,
              .spread = ways.from[index(best)].tree(commodity.targets)};
}

}  // namespace

std::optional<Packing> fastest_ways(const Network& network,
                                    std::span<const Commodity> commodities) {
  Packing packing;
  std::vector<int32_t> turns(index(network.sites()), 0);
  WaysByBytes ways(network);
  for (const Commodity& commodity : commodities) {
    auto tree = fastest(ways(commodity), commodity, turns);
    if (!tree) return std::nullopt;
    packing.commodities.push_back({{.tree = std::move(*tree), .part = 1}});
  }
  return packing;
}

std::optional<std::vector<Commodity>> summed_at_targets(std::span<const Commodity> commodities) {
  constexpr size_t limit = 4'096;
  std::vector<Commodity> split;
  size_t transfers = 0;
  bool any = false;
  for (const Commodity& commodity : commodities) {
    if (commodity.formed || commodity.targets.size() == 1) {
      split.push_back(commodity);
      continue;
    }
    any = true;
    transfers += commodity.targets.size() * commodity.terminals.size() * commodity.demands.size();
    if (transfers > limit) return std::nullopt;
    for (int32_t target : commodity.targets) {
      split.push_back(commodity);
      split.back().targets = {target};
    }
  }
  if (!any) return std::nullopt;
  return split;
}

std::optional<Packing> straight(const Network& network, std::span<const Commodity> commodities) {
  Packing packing;
  WaysByBytes ways(network);
  for (const Commodity& commodity : commodities) {
    const Prices& times = ways(commodity).times;
    Tree tree;
    if (commodity.formed) {
      auto found = spread_from_holders(ways(commodity), commodity);
      if (!found) return std::nullopt;
      tree = std::move(*found);
    } else {
      tree.root = commodity.targets[0];
      for (const Terminal& t : commodity.terminals) {
        const int32_t from = *std::ranges::min_element(t.holders, {}, [&](int32_t s) {
          return s == tree.root ? 0 : times.send(s, tree.root);
        });
        if (from == tree.root) {
          tree.gather.enters.push_back(-1);
          continue;
        }
        if (times.send(from, tree.root) == no_way) return std::nullopt;
        tree.gather.enters.push_back(static_cast<int32_t>(tree.gather.hops.size()));
        tree.gather.hops.push_back({from, tree.root, -1});
      }
      if (commodity.targets.size() > 1) return std::nullopt;
    }
    packing.commodities.push_back({{.tree = std::move(tree), .part = 1}});
  }
  return packing;
}

}  // namespace einsummable::synthesis
