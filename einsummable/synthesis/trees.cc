// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/trees.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {

// Where a terminal of one part lies, its whole is from no parts at all; that is told apart by its
// parts being the whole.
GatherTable::GatherTable(const Prices& prices, std::span<const Terminal> terminals)
    : prices_(prices), full_((uint32_t{1} << terminals.size()) - 1) {
  ensure(!terminals.empty() && terminals.size() <= terminal_limit, "a table has 1 to 8 terminals");
  const size_t entries = entry(full_, prices.sites - 1) + 1;
  whole_.assign(entries, no_way);
  parts_.assign(entries, no_way);
  from_.assign(entries, -1);
  halves_.assign(entries, 0);
  for (int32_t to = 0; to < prices.sites; ++to) {
    double cheapest = no_way;
    for (int32_t from = 0; from < prices.sites; ++from) {
      if (from != to) cheapest = std::min(cheapest, prices.send(from, to));
    }
    cheapest_into_.push_back(cheapest);
  }
  for (uint32_t set = 1; set <= full_; ++set) {
    if (std::has_single_bit(set)) {
      place(set, terminals[static_cast<size_t>(std::countr_zero(set))]);
    } else {
      merge(set);
    }
    send(set);
  }
}

void GatherTable::place(uint32_t set, const Terminal& terminal) {
  for (int32_t site : terminal.holders) {
    const double read = terminal.parts * prices_.merge[static_cast<size_t>(site)];
    parts_[entry(set, site)] = read;
    whole_[entry(set, site)] =
        terminal.parts > 1 ? read + prices_.merge[static_cast<size_t>(site)] : 0;
  }
}

void GatherTable::merge(uint32_t set) {
  const uint32_t least = set & (~set + 1);
  for (uint32_t half = (set - 1) & set; half != 0; half = (half - 1) & set) {
    if ((half & least) == 0) continue;
    for (int32_t site = 0; site < prices_.sites; ++site) {
      const double price = parts_[entry(half, site)] + parts_[entry(set ^ half, site)];
      if (price < parts_[entry(set, site)]) {
        parts_[entry(set, site)] = price;
        halves_[entry(set, site)] = half;
      }
    }
  }
  for (int32_t site = 0; site < prices_.sites; ++site) {
    whole_[entry(set, site)] = parts_[entry(set, site)] + prices_.merge[static_cast<size_t>(site)];
  }
}

// Spreads what is whole to all sites (Dijkstra), and lets it wait there as a part. It ends where
// even the cheapest hops could help no site any more.
void GatherTable::send(uint32_t set) {
  const auto n = static_cast<size_t>(prices_.sites);
  double* const whole = &whole_[entry(set, 0)];
  std::vector<size_t> left(n);
  std::iota(left.begin(), left.end(), size_t{0});
  while (!left.empty()) {
    const auto best = std::ranges::min_element(left, {}, [&](size_t v) { return whole[v]; });
    const size_t from = *best;
    left.erase(best);
    const auto helped = [&](size_t v) { return whole[from] + cheapest_into_[v] < whole[v]; };
    if (std::ranges::none_of(left, helped)) break;
    for (size_t v : left) {
      const double price = whole[from] + prices_.hop[from * n + v];
      if (price < whole[v]) {
        whole[v] = price;
        from_[entry(set, 0) + v] = static_cast<int32_t>(from);
      }
    }
  }
  for (size_t v = 0; v < n; ++v) {
    const double price = whole[v] + prices_.merge[v];
    if (price < parts_[entry(set, 0) + v]) {
      parts_[entry(set, 0) + v] = price;
      halves_[entry(set, 0) + v] = set;
    }
  }
}

Branches GatherTable::tree(int32_t root) const {
  struct Visit {
    uint32_t set;
    int32_t site;
    int32_t next;
    bool whole;
  };
  Branches tree{.price = price(root),
                .hops = {},
                .enters = std::vector<int32_t>(static_cast<size_t>(std::popcount(full_)), -1)};
  ensure(tree.price != no_way, "the root can be reached");
  std::vector<Visit> open = {{full_, root, -1, true}};
  while (!open.empty()) {
    const Visit at = open.back();
    open.pop_back();
    const size_t e = entry(at.set, at.site);
    if (at.whole && from_[e] >= 0) {
      tree.hops.push_back({from_[e], at.site, at.next});
      open.push_back({at.set, from_[e], static_cast<int32_t>(tree.hops.size()) - 1, true});
    } else if (halves_[e] == 0) {
      tree.enters[static_cast<size_t>(std::countr_zero(at.set))] = at.next;
    } else if (halves_[e] == at.set) {
      open.push_back({at.set, at.site, at.next, true});
    } else {
      open.push_back({at.set ^ halves_[e], at.site, at.next, false});
      open.push_back({halves_[e], at.site, at.next, false});
    }
  }
  return tree;
}

void Branches::sort() {
  std::vector<int32_t> level(hops.size()), order(hops.size()), position(hops.size());
  for (size_t i = 0; i < hops.size(); ++i) {
    const int32_t next = hops[i].next;
    level[i] = next < 0 ? 0 : level[static_cast<size_t>(next)] + 1;
    order[i] = static_cast<int32_t>(i);
  }
  std::ranges::sort(order, {}, [&](int32_t i) {
    const Hop& hop = hops[static_cast<size_t>(i)];
    return std::tuple(level[static_cast<size_t>(i)], hop.from, hop.to, i);
  });
  for (size_t k = 0; k < order.size(); ++k)
    position[static_cast<size_t>(order[k])] = static_cast<int32_t>(k);
  const auto moved = [&](int32_t i) { return i < 0 ? -1 : position[static_cast<size_t>(i)]; };
  std::vector<Hop> sorted;
  for (int32_t i : order) {
    sorted.push_back(hops[static_cast<size_t>(i)]);
    sorted.back().next = moved(sorted.back().next);
  }
  hops = std::move(sorted);
  for (int32_t& hop : enters) hop = moved(hop);
}

Prices reversed(const Prices& prices) {
  Prices other{.sites = prices.sites,
               .hop = std::vector<double>(prices.hop.size()),
               .merge = std::vector<double>(prices.merge.size(), 0)};
  for (int32_t a = 0; a < prices.sites; ++a) {
    for (int32_t b = 0; b < prices.sites; ++b) {
      other.hop[static_cast<size_t>(b) * static_cast<size_t>(prices.sites) +
                static_cast<size_t>(a)] = prices.send(a, b);
    }
  }
  return other;
}

}  // namespace einsummable::synthesis
