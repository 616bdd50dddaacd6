// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "einsummable/synthesis/trees.h"

namespace einsummable::synthesis {
namespace {

// The tree in which every site is reached from its parent; sites without one are left out.
Branches tree_of(const Prices& prices, int32_t root, std::span<const int32_t> parents) {
  std::vector<std::vector<int32_t>> children(parents.size());
  for (size_t v = 0; v < parents.size(); ++v) {
    if (parents[v] >= 0)
      children[static_cast<size_t>(parents[v])].push_back(static_cast<int32_t>(v));
  }
  Branches tree;
  for (int32_t v : children[static_cast<size_t>(root)]) tree.hops.push_back({root, v, -1});
  for (size_t i = 0; i < tree.hops.size(); ++i) {
    const int32_t at = tree.hops[i].to;
    tree.price += prices.send(tree.hops[i].from, at);
    for (int32_t v : children[static_cast<size_t>(at)])
      tree.hops.push_back({at, v, static_cast<int32_t>(i)});
  }
  return tree;
}

// Chu, Liu and Edmonds on a dense graph: from every site along the cheapest edges into it, back
// to the root or to where a walk has been before. Cycles that close on the way are contracted: a
// node that stands for a cycle keeps, for every node outside, the best edges into it and out of it.
class Arborescence {
 public:
  Arborescence(const Prices& prices, int32_t root)
      : n_(static_cast<size_t>(prices.sites)), root_(static_cast<size_t>(root)), size_(2 * n_) {
    price_.assign(size_ * size_, no_way);
    edge_.assign(size_ * size_, {0, 0});
    for (size_t u = 0; u < n_; ++u) {
      for (size_t v = 0; v < n_; ++v) {
        if (u == v || v == root_) continue;
        price_[u * size_ + v] = prices.hop[u * n_ + v];
        edge_[u * size_ + v] = {u, v};
      }
    }
    for (size_t v = 0; v < n_; ++v) alive_.push_back(v);
    best_.assign(size_, none);
    inside_.assign(size_, none);
    members_.resize(size_);
  }

  // The parent of each site, -1 of the root; empty if some site cannot be reached.
  std::vector<int32_t> run() {
    for (size_t v = 0; v < n_; ++v) {
      if (v != root_ && !choose_edge(v)) return {};
    }
    enum class Mark : uint8_t { fresh, on_way, done };
    std::vector<Mark> marks(size_, Mark::fresh);
    marks[root_] = Mark::done;
    size_t nodes = n_;
    for (size_t v = 0; v < n_; ++v) {
      size_t at = v;
      while (inside_[at] != none) at = inside_[at];
      std::vector<size_t> way;
      while (marks[at] != Mark::done) {
        if (marks[at] == Mark::on_way) {
          const size_t node = nodes++;
          while (members_[node].empty() || members_[node].back() != at) {
            members_[node].push_back(way.back());
            way.pop_back();
          }
          contract(node);
          if (!choose_edge(node)) return {};
          at = node;
        }
        marks[at] = Mark::on_way;
        way.push_back(at);
        at = best_[at];
      }
      for (size_t node : way) marks[node] = Mark::done;
    }
    return parents();
  }

 private:
  static constexpr size_t none = std::numeric_limits<size_t>::max();
  struct Edge {
    size_t from, to;
  };

  // Chooses the cheapest edge into a node. False if there is none.
  bool choose_edge(size_t v) {
    for (size_t u : alive_) {
      if (u == v || price_[u * size_ + v] == no_way) continue;
      if (best_[v] == none || price_[u * size_ + v] < price_[best_[v] * size_ + v]) best_[v] = u;
    }
    return best_[v] != none;
  }

  void contract(size_t node) {
    const std::vector<size_t>& cycle = members_[node];
    for (size_t v : cycle) {
      inside_[v] = node;
      std::erase(alive_, v);
    }
    for (size_t u : alive_) {
      for (size_t v : cycle) {
        const double in = price_[u * size_ + v] - price_[best_[v] * size_ + v];
        if (in < price_[u * size_ + node]) {
          price_[u * size_ + node] = in;
          edge_[u * size_ + node] = edge_[u * size_ + v];
        }
        if (price_[v * size_ + u] < price_[node * size_ + u]) {
          price_[node * size_ + u] = price_[v * size_ + u];
          edge_[node * size_ + u] = edge_[v * size_ + u];
        }
        if (best_[u] == v) best_[u] = node;
      }
    }
    alive_.push_back(node);
  }

  // Inside a cycle every member keeps its edge but the one that is entered from outside.
  std::vector<int32_t> parents() const {
    std::vector<int32_t> parents(n_, -1);
    std::vector<std::pair<size_t, Edge>> open;
    for (size_t v : alive_) {
      if (v != root_) open.emplace_back(v, edge_[best_[v] * size_ + v]);
    }
    while (!open.empty()) {
      const auto [node, edge] = open.back();
      open.pop_back();
      if (node < n_) {
        parents[node] = static_cast<int32_t>(edge.from);
        continue;
      }
      size_t at = edge.to;
      while (inside_[at] != node) at = inside_[at];
      for (size_t member : members_[node])
        open.emplace_back(member, member == at ? edge : edge_[best_[member] * size_ + member]);
    }
    return parents;
  }

  size_t n_, root_, size_;
  std::vector<double> price_;   // [from * size + to]; nodes from n on stand for cycles
  std::vector<Edge> edge_;      // the hop that an edge stands for
  std::vector<size_t> alive_;   // nodes that are in no cycle
  std::vector<size_t> best_;    // where the cheapest edge into each node begins
  std::vector<size_t> inside_;  // the cycle that each node went into
  std::vector<std::vector<size_t>> members_;
};

// Puts hops nearer to the root first and drops those that lead to no needed site; `parents` is the
// hop before each, -1 at the root.
void reorder(Branches& tree, std::span<const int32_t> parents, std::span<const int32_t> depths,
             std::span<const int32_t> needed) {
  const size_t n = tree.hops.size();
  std::vector<bool> kept(n, false);
  for (size_t i = 0; i < n; ++i) {
    if (std::ranges::find(needed, tree.hops[i].to) == needed.end()) continue;
    for (auto at = static_cast<int32_t>(i); at >= 0; at = parents[static_cast<size_t>(at)])
      kept[static_cast<size_t>(at)] = true;
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < n; ++i) {
    if (kept[i]) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return depths[i]; });
  std::vector<int32_t> position(n, -1);
  for (size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int32_t>(k);
  const auto moved = [&](int32_t i) { return i < 0 ? -1 : position[static_cast<size_t>(i)]; };
  std::vector<Hop> hops;
  for (size_t i : order) hops.push_back({tree.hops[i].from, tree.hops[i].to, moved(parents[i])});
  tree.hops = std::move(hops);
  for (int32_t& hop : tree.enters) hop = moved(hop);
}

}  // namespace

void flatten(const Prices& prices, int32_t root, Branches& tree, std::span<const int32_t> needed,
             double level) {
  constexpr double same = 1 + 1e-9;
  const auto n = static_cast<int32_t>(tree.hops.size());
  std::vector<int32_t> into(static_cast<size_t>(prices.sites), -1);
  std::vector<int32_t> parents;
  for (const Hop& hop : tree.hops) {
    int32_t& known = into[static_cast<size_t>(hop.to)];
    if (known >= 0 || hop.to == root) return;  // a site is passed twice
    known = static_cast<int32_t>(parents.size());
    parents.push_back(hop.next);
  }
  const auto depth = [&](int32_t hop) {
    int32_t hops = 0;
    for (; hop >= 0; hop = parents[static_cast<size_t>(hop)]) ++hops;
    return hops;
  };
  const auto site = [&](int32_t hop) {
    return hop < 0 ? root : tree.hops[static_cast<size_t>(hop)].to;
  };
  bool any = false;
  for (bool change = true; change;) {
    change = false;
    for (int32_t i = 0; i < n; ++i) {
      Hop& hop = tree.hops[static_cast<size_t>(i)];
      const double limit = prices.send(hop.from, hop.to) * same;
      int32_t least = depth(parents[static_cast<size_t>(i)]);
      const int32_t now = least;
      for (int32_t other = -1; other < n && least > 0; ++other) {
        if (depth(other) >= least ||
            prices.send(site(other), hop.to) > limit + level * (now - depth(other)))
          continue;
        least = depth(other);
        parents[static_cast<size_t>(i)] = other;
        hop.from = site(other);
        any = change = true;
      }
    }
  }
  if (!any) return;
  std::vector<int32_t> depths;
  for (int32_t i = 0; i < n; ++i) depths.push_back(depth(i));
  reorder(tree, parents, depths, needed);
  tree.price = 0;
  for (const Hop& hop : tree.hops) tree.price += prices.send(hop.from, hop.to);
}

std::optional<Branches> spanning_tree(const Prices& prices, int32_t root) {
  const std::vector<int32_t> parents = Arborescence(prices, root).run();
  if (parents.empty()) return std::nullopt;
  return tree_of(prices, root, parents);
}

std::optional<Branches> grown_tree(const Prices& prices, int32_t root,
                                   std::span<const int32_t> targets) {
  const auto n = static_cast<size_t>(prices.sites);
  std::vector<int32_t> parents(n, -1);
  std::vector<bool> in_tree(n, false);
  in_tree[static_cast<size_t>(root)] = true;
  std::vector<bool> wanted(n, false);
  for (int32_t t : targets) wanted[static_cast<size_t>(t)] = t != root;
  auto left = std::ranges::count(wanted, true);
  // Cheapest paths from the tree so far: those of a site are done until its price falls.
  std::vector<double> price(n, no_way);
  std::vector<int32_t> via(n, -1);
  std::vector<bool> done(n, false);
  price[static_cast<size_t>(root)] = 0;
  while (left > 0) {
    size_t at = n;
    for (size_t v = 0; v < n; ++v) {
      if (!done[v] && price[v] != no_way && (at == n || price[v] < price[at])) at = v;
    }
    if (at == n) return std::nullopt;
    if (wanted[at]) {
      --left;
      wanted[at] = false;
      for (size_t v = at; !in_tree[v]; v = static_cast<size_t>(via[v])) {
        in_tree[v] = true;
        parents[v] = via[v];
        price[v] = 0;
        done[v] = false;
      }
      continue;
    }
    done[at] = true;
    for (size_t v = 0; v < n; ++v) {
      const double through = price[at] + prices.hop[at * n + v];
      if (through < price[v]) {
        price[v] = through;
        via[v] = static_cast<int32_t>(at);
        done[v] = false;
      }
    }
  }
  return tree_of(prices, root, parents);
}

}  // namespace einsummable::synthesis
