// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/direct.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }

// The time of each hop for an average demand of a commodity, in ms.
Prices times_of(const Network& network, const Commodity& commodity) {
  constexpr double ms_per_us = 1e-3;
  const double bytes = commodity.bytes / static_cast<double>(commodity.demands.size());
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

// The fastest ways from the nearest of some sites, or to it.
class Ways {
 public:
  Ways(const Prices& times, std::span<const int32_t> ends)
      : times_(times), time_(index(times.sites), no_way), next_(index(times.sites), -1) {
    for (int32_t s : ends) time_[index(s)] = 0;
    std::vector<bool> done(index(times.sites), false);
    for (int32_t round = 0; round < times.sites; ++round) {
      int32_t at = -1;
      for (int32_t s = 0; s < times.sites; ++s) {
        if (!done[index(s)] && time_[index(s)] != no_way &&
            (at < 0 || time_[index(s)] < time_[index(at)]))
          at = s;
      }
      if (at < 0) break;
      done[index(at)] = true;
      for (int32_t s = 0; s < times.sites; ++s) {
        const double through = time_[index(at)] + times.send(at, s);
        if (through >= time_[index(s)]) continue;
        time_[index(s)] = through;
        next_[index(s)] = at;
      }
    }
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
  int32_t hops_to(int32_t site) const {
    int32_t hops = 0;
    for (; next_[index(site)] >= 0; site = next_[index(site)]) ++hops;
    return hops;
  }

  const Prices& times_;
  std::vector<double> time_;
  std::vector<int32_t> next_;
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

std::optional<Tree> fastest(const Prices& times, const Commodity& commodity,
                            std::vector<int32_t>& turns) {
  if (commodity.formed) {
    const Ways ways(times, commodity.terminals[0].holders);
    if (last(ways, commodity.targets) == no_way) return std::nullopt;
    return Tree{.gather = {}, .root = -1, .spread = ways.tree(commodity.targets)};
  }
  const Prices backwards = reversed(times);
  int32_t best = -1;
  double least = no_way;
  for (int32_t root = 0; root < times.sites; ++root) {
    const Ways to(backwards, std::span(&root, 1));
    double time = 0;
    for (const Terminal& t : commodity.terminals) time = std::max(time, to.time(nearest(to, t)));
    if (time == no_way) continue;
    time += commodity.growth * last(Ways(times, std::span(&root, 1)), commodity.targets);
    const bool same = best >= 0 && time == least;
    if (time < least || (same && turns[index(root)] < turns[index(best)])) {
      best = root;
      least = time;
    }
  }
  if (least == no_way) return std::nullopt;
  ++turns[index(best)];
  Tree tree{.gather = gathering(Ways(backwards, std::span(&best, 1)), commodity),
            .root = best,
            .spread = Ways(times, std::span(&best, 1)).tree(commodity.targets)};
  return tree;
}

}  // namespace

std::optional<Packing> fastest_ways(const Network& network,
                                    std::span<const Commodity> commodities) {
  Packing packing;
  std::vector<int32_t> turns(index(network.sites()), 0);
  for (const Commodity& commodity : commodities) {
    auto tree = fastest(times_of(network, commodity), commodity, turns);
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
  for (const Commodity& commodity : commodities) {
    const Prices times = times_of(network, commodity);
    Tree tree;
    if (commodity.formed) {
      std::vector<int32_t> turns(index(network.sites()), 0);
      auto found = fastest(times, commodity, turns);
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
