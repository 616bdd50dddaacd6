// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/cheapest.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace einsummable::synthesis {
namespace {

// The prices, and the mean one of a hop.
std::pair<Prices, double> prices_of(const Network& network, std::span<const double> row_prices,
                                    double hop) {
  const int32_t n = network.sites();
  Prices prices{.sites = n, .hop = {}, .merge = {}};
  const auto of_row = [&](int32_t row) {
    const auto r = static_cast<size_t>(row);
    return network.rates()[r] > 0 ? row_prices[r] / network.rates()[r] : 0;
  };
  double sum = 0;
  int64_t ways = 0;
  for (int32_t a = 0; a < n; ++a) {
    for (int32_t b = 0; b < n; ++b) {
      const bool way = a != b && network.route(a, b) != nullptr;
      double price = way ? 0 : no_way;
      for (int32_t row : network.rows(a, b)) price += of_row(row);
      if (way) {
        sum += price;
        ++ways;
      }
      prices.hop.push_back(price);
    }
    prices.merge.push_back(of_row(network.memory_row(a)));
  }
  const double mean = sum > 0 ? sum / static_cast<double>(ways) : 1;
  for (double& price : prices.hop) price += hop * mean;
  return {std::move(prices), mean};
}

// Spreading is gathering backwards: hops are turned around.
Branches turned(Branches tree) {
  for (Hop& hop : tree.hops) std::swap(hop.from, hop.to);
  return tree;
}

std::vector<Terminal> terminals_at(std::span<const int32_t> sites) {
  std::vector<Terminal> terminals;
  for (int32_t s : sites) terminals.push_back({.holders = {s}});
  return terminals;
}

// Whether the sites other than the root are all there.
bool all_but(std::vector<int32_t> sites, int32_t root, int32_t count) {
  sites.push_back(root);
  std::ranges::sort(sites);
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return static_cast<int32_t>(sites.size()) == count;
}

// One more site, the last, from which the holders are reached for nothing.
Prices with_source(const Prices& prices, std::span<const int32_t> holders) {
  const int32_t n = prices.sites;
  Prices more{.sites = n + 1, .hop = {}, .merge = prices.merge};
  for (int32_t a = 0; a < n; ++a) {
    for (int32_t b = 0; b < n; ++b) more.hop.push_back(prices.send(a, b));
    more.hop.push_back(no_way);
  }
  more.hop.resize(more.hop.size() + static_cast<size_t>(n) + 1, no_way);
  for (int32_t h : holders) {
    more.hop[static_cast<size_t>(n) * static_cast<size_t>(n + 1) + static_cast<size_t>(h)] = 0;
  }
  more.merge.push_back(0);
  return more;
}

// Without the hops from the last site.
Branches without_source(const Branches& tree, int32_t source) {
  Branches rest{.price = tree.price, .hops = {}, .enters = {}};
  std::vector<int32_t> position(tree.hops.size(), -1);
  for (size_t i = 0; i < tree.hops.size(); ++i) {
    Hop hop = tree.hops[i];
    if (hop.from == source) continue;
    hop.next = hop.next < 0 ? -1 : position[static_cast<size_t>(hop.next)];
    position[i] = static_cast<int32_t>(rest.hops.size());
    rest.hops.push_back(hop);
  }
  return rest;
}

// `backwards` are the prices of the hops reversed.
std::optional<Branches> spread_tree(const Prices& prices, const Prices& backwards, int32_t root,
                                    std::span<const int32_t> targets, bool spanning, double level) {
  std::optional<Branches> tree;
  if (targets.size() <= GatherTable::terminal_limit) {
    const GatherTable table(backwards, terminals_at(targets));
    if (table.price(root) != no_way) tree = turned(table.tree(root));
  } else {
    tree = spanning ? spanning_tree(prices, root) : grown_tree(prices, root, targets);
  }
  if (tree) flatten(prices, root, *tree, targets, level);
  return tree;
}

}  // namespace

CheapestTrees::CheapestTrees(const Network& network, std::span<const double> row_prices, double hop,
                             double level) {
  double mean = 0;
  std::tie(prices_, mean) = prices_of(network, row_prices, hop);
  level_ = level * mean;
  backwards_ = reversed(prices_);
  backwards_merge_ = backwards_;
  const auto n = static_cast<size_t>(prices_.sites);
  for (size_t from = 0; from < n; ++from) {
    for (size_t to = 0; to < n; ++to) backwards_merge_.hop[from * n + to] += prices_.merge[from];
  }
}

std::optional<Tree> CheapestTrees::tree(const Commodity& commodity) const {
  auto tree = commodity.formed ? spread(commodity) : gather_and_spread(commodity);
  if (tree) {
    tree->gather.sort();
    tree->spread.sort();
  }
  return tree;
}

// The cheapest path (Dijkstra, once a source).
std::optional<Branches> CheapestTrees::path(int32_t from, int32_t to) const {
  const auto n = static_cast<size_t>(prices_.sites);
  before_.resize(n);
  std::vector<int32_t>& before = before_[static_cast<size_t>(from)];
  if (before.empty()) {
    before.assign(n, -1);
    std::vector<double> price(n, no_way);
    std::vector<bool> done(n, false);
    price[static_cast<size_t>(from)] = 0;
    for (size_t round = 0; round < n; ++round) {
      size_t at = n;
      for (size_t v = 0; v < n; ++v) {
        if (!done[v] && price[v] != no_way && (at == n || price[v] < price[at])) at = v;
      }
      if (at == n) break;
      done[at] = true;
      for (size_t v = 0; v < n; ++v) {
        if (price[at] + prices_.hop[at * n + v] >= price[v]) continue;
        price[v] = price[at] + prices_.hop[at * n + v];
        before[v] = static_cast<int32_t>(at);
      }
    }
  }
  if (before[static_cast<size_t>(to)] < 0) return std::nullopt;
  std::vector<int32_t> sites = {to};
  while (sites.back() != from) sites.push_back(before[static_cast<size_t>(sites.back())]);
  Branches path;
  for (size_t i = sites.size() - 1; i > 0; --i) {
    path.price += prices_.send(sites[i], sites[i - 1]);
    path.hops.push_back({sites[i], sites[i - 1], static_cast<int32_t>(path.hops.size()) - 1});
  }
  return path;
}

std::optional<Tree> CheapestTrees::spread(const Commodity& commodity) const {
  const std::vector<int32_t>& holders = commodity.terminals[0].holders;
  const bool spanning =
      static_cast<int32_t>(holders.size() + commodity.targets.size()) == prices_.sites;
  Tree tree;
  if (holders.size() == 1 && commodity.targets.size() == 1) {
    auto found = path(holders[0], commodity.targets[0]);
    if (!found) return std::nullopt;
    flatten(prices_, holders[0], *found, commodity.targets, level_);
    tree.spread = std::move(*found);
    return tree;
  }
  if (holders.size() == 1) {
    auto found = spread_tree(prices_, backwards_, holders[0], commodity.targets, spanning, level_);
    if (!found) return std::nullopt;
    tree.spread = std::move(*found);
    return tree;
  }
  const Prices more = with_source(prices_, holders);
  std::vector<int32_t> all = commodity.targets;
  if (spanning) all.insert(all.end(), holders.begin(), holders.end());
  const auto found =
      spread_tree(more, reversed(more), prices_.sites, commodity.targets, spanning, level_);
  if (!found) return std::nullopt;
  tree.spread = without_source(*found, prices_.sites);
  return tree;
}

std::optional<Branches> CheapestTrees::gathered(const Commodity& commodity, int32_t root) const {
  std::vector<int32_t> sites;
  bool single = true;
  for (const Terminal& t : commodity.terminals) {
    single = single && t.holders.size() == 1;
    const auto nearest = std::ranges::min_element(
        t.holders, {}, [&](int32_t h) { return h == root ? -1 : prices_.send(h, root); });
    sites.push_back(*nearest);
  }
  auto tree = single && all_but(sites, root, prices_.sites)
                  ? spanning_tree(backwards_merge_, root)
                  : grown_tree(backwards_merge_, root, sites);
  if (!tree) return std::nullopt;
  for (int32_t at : sites) {
    const auto into = std::ranges::find(tree->hops, at, &Hop::to);
    tree->enters.push_back(
        into == tree->hops.end() ? -1 : static_cast<int32_t>(into - tree->hops.begin()));
  }
  return tree;
}

std::optional<Branches> CheapestTrees::spread_from(const Commodity& commodity, int32_t root) const {
  if (all_but(commodity.targets, root, prices_.sites)) return spanning_tree(prices_, root);
  return grown_tree(prices_, root, commodity.targets);
}

// All sites where that is cheap; else the few to and from which the ways are cheapest.
std::vector<int32_t> CheapestTrees::roots(const Commodity& commodity, bool all) const {
  constexpr size_t few = 4;
  if (commodity.targets.size() == 1 && commodity.growth >= 1) return commodity.targets;
  std::vector<int32_t> sites;
  for (int32_t s = 0; s < prices_.sites; ++s) sites.push_back(s);
  if (all) return sites;
  std::vector<double> sum(sites.size(), 0);
  const auto way = [&](int32_t from, int32_t to) {
    return from == to ? 0 : std::min(prices_.send(from, to), 1e30);
  };
  for (int32_t s : sites) {
    double& price = sum[static_cast<size_t>(s)];
    for (const Terminal& t : commodity.terminals) price += way(t.holders[0], s);
    for (int32_t t : commodity.targets) price += commodity.growth * way(s, t);
  }
  std::ranges::stable_sort(sites, {}, [&](int32_t s) { return sum[static_cast<size_t>(s)]; });
  sites.resize(std::min(few, sites.size()));
  return sites;
}

std::optional<Tree> CheapestTrees::gather_and_spread(const Commodity& commodity) const {
  std::optional<GatherTable> gather, spread;
  if (commodity.terminals.size() <= GatherTable::terminal_limit)
    gather.emplace(prices_, commodity.terminals);
  const std::vector<Terminal> targets = terminals_at(commodity.targets);
  if (targets.size() <= GatherTable::terminal_limit) spread.emplace(backwards_, targets);
  Tree best;
  double least = no_way;
  for (int32_t root : roots(commodity, gather && spread)) {
    double price = 0;
    std::optional<Branches> in, out;
    if (gather) {
      price += gather->price(root);
    } else {
      in = gathered(commodity, root);
      price += in ? in->price : no_way;
    }
    if (price >= least) continue;
    if (spread) {
      price += commodity.growth * spread->price(root);
    } else {
      out = spread_from(commodity, root);
      price += out ? commodity.growth * out->price : no_way;
    }
    if (price >= least) continue;
    least = price;
    best.root = root;
    best.gather = in ? std::move(*in) : Branches{};
    best.spread = out ? std::move(*out) : Branches{};
  }
  if (least == no_way) return std::nullopt;
  if (gather) best.gather = turned(gather->tree(best.root));
  if (spread) best.spread = turned(spread->tree(best.root));
  std::vector<int32_t> used;
  for (int32_t hop : best.gather.enters) {
    if (hop >= 0) used.push_back(best.gather.hops[static_cast<size_t>(hop)].to);
  }
  flatten(backwards_merge_, best.root, best.gather, used, level_);
  best.gather = turned(std::move(best.gather));
  flatten(prices_, best.root, best.spread, commodity.targets, level_);
  return best;
}

}  // namespace einsummable::synthesis
