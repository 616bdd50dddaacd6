// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <random>
#include <set>

#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() % 1'000'000) / 1'000'000;
}

// Some hops are missing, some cost next to nothing.
Prices random_prices(int32_t sites, std::mt19937_64& random) {
  Prices prices{.sites = sites, .hop = {}, .merge = {}};
  const bool free_merge = random() % 3 == 0;
  for (int32_t a = 0; a < sites; ++a) {
    for (int32_t b = 0; b < sites; ++b) {
      const uint64_t kind = random() % 8;
      prices.hop.push_back(a == b || kind == 0 ? no_way : kind == 1 ? 1e-3 : 0.1 + uniform(random));
    }
    prices.merge.push_back(free_merge ? 0 : 0.3 * uniform(random));
  }
  return prices;
}

Prices symmetric(Prices prices) {
  for (int32_t a = 0; a < prices.sites; ++a) {
    for (int32_t b = 0; b < a; ++b)
      prices.hop[static_cast<size_t>(a * prices.sites + b)] = prices.send(b, a);
  }
  return prices;
}

// What gathering costs, found by trying everything: a state is the set of aggregates that are left
// to be merged, each at a site; a move sends one or merges some at a site. The parts of a terminal
// are merged together where they are.
class BruteForce {
 public:
  BruteForce(const Prices& prices, const std::vector<Terminal>& terminals) : prices_(prices) {
    std::vector<State> starts = {{}};
    uint32_t bit = 1;
    for (const Terminal& t : terminals) {
      together_.push_back((bit << t.parts) - bit);
      std::vector<State> more;
      for (const State& s : starts) {
        for (int32_t holder : t.holders) {
          State next = s;
          for (int32_t p = 0; p < t.parts; ++p) next.insert({bit << p, holder});
          more.push_back(next);
        }
      }
      bit <<= t.parts;
      starts = more;
    }
    full_ = bit - 1;
    for (const State& s : starts) reach(s, 0);
    while (!queue_.empty()) {
      const auto [price, state] = queue_.top();
      queue_.pop();
      if (known_[state] < price) continue;
      send(state, price);
      merge(state, price);
    }
  }

  double price(int32_t root) const {
    const auto at = known_.find({{full_, root}});
    return at == known_.end() ? no_way : at->second;
  }

 private:
  using State = std::multiset<std::pair<uint32_t, int32_t>>;
  using Entry = std::pair<double, State>;

  // Whether it holds some parts of a terminal but not all.
  bool apart(uint32_t token) const {
    return std::ranges::any_of(together_, [&](uint32_t parts) {
      return (token & parts) != 0 && (token & parts) != parts;
    });
  }

  void reach(const State& state, double price) {
    const auto [at, fresh] = known_.try_emplace(state, price);
    if (!fresh && at->second <= price) return;
    at->second = price;
    queue_.emplace(price, state);
  }

  void send(const State& state, double price) {
    for (const auto& token : state) {
      for (int32_t to = 0; to < prices_.sites; ++to) {
        if (prices_.send(token.second, to) == no_way || apart(token.first)) continue;
        State next = state;
        next.erase(next.find(token));
        next.insert({token.first, to});
        reach(next, price + prices_.send(token.second, to));
      }
    }
  }

  void merge(const State& state, double price) {
    const std::vector<std::pair<uint32_t, int32_t>> list(state.begin(), state.end());
    for (uint32_t chosen = 1; chosen < (uint32_t{1} << list.size()); ++chosen) {
      State next = state;
      uint32_t whole = 0;
      int count = 0;
      std::set<int32_t> sites;
      for (size_t i = 0; i < list.size(); ++i) {
        if ((chosen >> i & 1) == 0) continue;
        next.erase(next.find(list[i]));
        whole |= list[i].first;
        sites.insert(list[i].second);
        ++count;
      }
      if (count < 2 || sites.size() > 1 || apart(whole)) continue;
      next.insert({whole, *sites.begin()});
      reach(next, price + (count + 1) * prices_.merge[static_cast<size_t>(*sites.begin())]);
    }
  }

  const Prices& prices_;
  uint32_t full_ = 0;
  std::vector<uint32_t> together_;  // the parts of each terminal
  std::map<State, double> known_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// What a gathering tree costs by its hops alone; checks that it is one.
double gather_price(const Prices& prices, const std::vector<Terminal>& terminals, int32_t root,
                    const Branches& tree) {
  std::vector<int32_t> inputs(tree.hops.size() + 1, 0);
  double price = 0;
  for (size_t i = 0; i < tree.hops.size(); ++i) {
    const Hop& hop = tree.hops[i];
    EXPECT_LT(hop.next, static_cast<int32_t>(i));
    EXPECT_EQ(hop.to, hop.next < 0 ? root : tree.hops[static_cast<size_t>(hop.next)].from);
    price += prices.send(hop.from, hop.to);
    ++inputs[static_cast<size_t>(hop.next + 1)];
  }
  EXPECT_EQ(tree.enters.size(), terminals.size());
  for (size_t t = 0; t < terminals.size(); ++t) {
    const int32_t into = tree.enters[t];
    const int32_t site = into < 0 ? root : tree.hops[static_cast<size_t>(into)].from;
    EXPECT_TRUE(std::ranges::binary_search(terminals[t].holders, site));
    inputs[static_cast<size_t>(into + 1)] += terminals[t].parts;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_GE(inputs[i], 1);
    const int32_t site = i == 0 ? root : tree.hops[i - 1].from;
    if (inputs[i] > 1) price += (inputs[i] + 1) * prices.merge[static_cast<size_t>(site)];
  }
  return price;
}

TEST(Trees, AChainIsMergedOnTheWay) {
  Prices prices{.sites = 3, .hop = std::vector<double>(9, no_way), .merge = {0, 0.25, 0}};
  prices.hop[0 * 3 + 1] = 1;
  prices.hop[1 * 3 + 2] = 2;
  const std::vector<Terminal> terminals = {{.holders = {0}}, {.holders = {1}}};
  const GatherTable table(prices, terminals);
  EXPECT_EQ(table.price(2), 1 + 3 * 0.25 + 2);
  EXPECT_EQ(table.price(0), no_way);
  const Branches tree = table.tree(2);
  EXPECT_EQ(tree.hops, (std::vector<Hop>{{1, 2, -1}, {0, 1, 0}}));
  EXPECT_EQ(tree.enters, (std::vector<int32_t>{1, 0}));
}

TEST(Trees, GatheringIsAsCheapAsTryingEverythingFinds) {
  std::mt19937_64 random(1);
  int reached = 0;
  for (int round = 0; round < rounds(150, 3'000); ++round) {
    const auto sites = static_cast<int32_t>(2 + random() % 3);
    const Prices prices = random_prices(sites, random);
    std::vector<Terminal> terminals;
    for (int32_t parts = static_cast<int32_t>(1 + random() % 4); parts > 0;) {
      Terminal t{.holders = {}, .parts = static_cast<int32_t>(1 + random() % 2)};
      t.parts = std::min(t.parts, parts);
      parts -= t.parts;
      for (int32_t s = 0; s < sites; ++s) {
        if (random() % 3 == 0) t.holders.push_back(s);
      }
      if (t.holders.empty()) t.holders.push_back(static_cast<int32_t>(random()) & 1);
      terminals.push_back(t);
    }
    const GatherTable table(prices, terminals);
    const BruteForce everything(prices, terminals);
    for (int32_t root = 0; root < sites; ++root) {
      const double least = everything.price(root);
      if (least == no_way) {
        EXPECT_EQ(table.price(root), no_way);
        continue;
      }
      ++reached;
      ASSERT_NEAR(table.price(root), least, 1e-9) << "round " << round;
      ASSERT_NEAR(gather_price(prices, terminals, root, table.tree(root)), least, 1e-9);
    }
  }
  EXPECT_GT(reached, rounds(150, 3'000));
}

// The price of a tree from the root; checks that it is one and reaches the targets.
double spread_price(const Prices& prices, int32_t root, std::span<const int32_t> targets,
                    const Branches& tree) {
  double price = 0;
  std::set<int32_t> reached = {root};
  for (size_t i = 0; i < tree.hops.size(); ++i) {
    const Hop& hop = tree.hops[i];
    EXPECT_LT(hop.next, static_cast<int32_t>(i));
    EXPECT_EQ(hop.from, hop.next < 0 ? root : tree.hops[static_cast<size_t>(hop.next)].to);
    EXPECT_TRUE(reached.insert(hop.to).second);
    price += prices.send(hop.from, hop.to);
  }
  for (int32_t t : targets) EXPECT_TRUE(reached.contains(t));
  EXPECT_NEAR(price, tree.price, 1e-9);
  return price;
}

TEST(Trees, SpanningIsAsCheapAsEveryChoiceOfParents) {
  std::mt19937_64 random(2);
  for (int round = 0; round < rounds(300, 10'000); ++round) {
    const auto sites = static_cast<int32_t>(1 + random() % 5);
    const Prices prices = random_prices(sites, random);
    const auto root = static_cast<int32_t>(random() % static_cast<uint64_t>(sites));
    double least = no_way;
    std::vector<int32_t> parents(static_cast<size_t>(sites), 0);
    int64_t choices = 1;
    for (int32_t s = 0; s < sites; ++s) choices *= sites;
    for (int64_t choice = 0; choice < choices; ++choice) {
      double price = 0;
      int64_t rest = choice;
      for (int32_t s = 0; s < sites; ++s, rest /= sites) {
        parents[static_cast<size_t>(s)] = static_cast<int32_t>(rest % sites);
        if (s != root) price += prices.send(parents[static_cast<size_t>(s)], s);
      }
      bool tree = true;
      for (int32_t s = 0; s < sites; ++s) {
        int32_t at = s;
        for (int32_t k = 0; k < sites && at != root; ++k) at = parents[static_cast<size_t>(at)];
        tree = tree && at == root;
      }
      if (tree) least = std::min(least, price);
    }
    const auto found = spanning_tree(prices, root);
    ASSERT_EQ(found.has_value(), least != no_way) << "round " << round;
    if (!found) continue;
    std::vector<int32_t> all;
    for (int32_t s = 0; s < sites; ++s) all.push_back(s);
    ASSERT_NEAR(spread_price(prices, root, all, *found), least, 1e-9) << "round " << round;
  }
}

TEST(Trees, SpanningAgreesWithTheTableWhereAllSitesAreTargets) {
  std::mt19937_64 random(3);
  for (int round = 0; round < rounds(30, 1'000); ++round) {
    const Prices prices = random_prices(9, random);
    std::vector<Terminal> targets;
    for (int32_t s = 1; s < 9; ++s) targets.push_back({.holders = {s}});
    const Prices backwards = reversed(prices);
    const GatherTable table(backwards, targets);
    const auto found = spanning_tree(prices, 0);
    ASSERT_EQ(found.has_value(), table.price(0) != no_way);
    if (found) {
      ASSERT_NEAR(found->price, table.price(0), 1e-9);
    }
  }
}

TEST(Trees, GrownTreesCostAtMostTwiceTheCheapest) {
  std::mt19937_64 random(4);
  int grown = 0;
  for (int round = 0; round < rounds(100, 5'000); ++round) {
    const auto sites = static_cast<int32_t>(2 + random() % 8);
    const Prices prices = symmetric(random_prices(sites, random));
    std::vector<int32_t> targets;
    std::vector<Terminal> terminals;
    for (int32_t s = 1; s < sites && targets.size() < 6; ++s) {
      if (random() % 2 == 0) continue;
      targets.push_back(s);
      terminals.push_back({.holders = {s}});
    }
    if (targets.empty()) continue;
    const Prices backwards = reversed(prices);
    const GatherTable table(backwards, terminals);
    const auto found = grown_tree(prices, 0, targets);
    ASSERT_EQ(found.has_value(), table.price(0) != no_way);
    if (!found) continue;
    ++grown;
    const double price = spread_price(prices, 0, targets, *found);
    ASSERT_GE(price, table.price(0) - 1e-9);
    ASSERT_LE(price, 2 * table.price(0) + 1e-9);
  }
  EXPECT_GT(grown, rounds(100, 5'000) / 2);
}

int32_t depth_of(const Branches& tree) {
  int32_t deepest = 0;
  for (const Hop& hop : tree.hops) {
    int32_t depth = 1;
    for (int32_t at = hop.next; at >= 0; at = tree.hops[static_cast<size_t>(at)].next) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

TEST(Trees, FlatteningKeepsThePriceAndIsNeverDeeper) {
  std::mt19937_64 random(5);
  int shallower = 0;
  for (int round = 0; round < rounds(200, 5'000); ++round) {
    Prices prices = random_prices(static_cast<int32_t>(2 + random() % 8), random);
    for (double& price : prices.hop) price = price == no_way ? no_way : std::ceil(3 * price);
    std::vector<int32_t> all;
    for (int32_t s = 0; s < prices.sites; ++s) all.push_back(s);
    const auto found = spanning_tree(prices, 0);
    if (!found) continue;
    Branches flat = *found;
    flatten(prices, 0, flat, all);
    ASSERT_NEAR(spread_price(prices, 0, all, flat), found->price, 1e-9);
    ASSERT_LE(depth_of(flat), depth_of(*found));
    if (depth_of(flat) < depth_of(*found)) ++shallower;
    for (double& price : prices.hop) price = 1;
    flatten(prices, 0, flat, all);
    ASSERT_EQ(depth_of(flat), 1);
  }
  EXPECT_GT(shallower, rounds(200, 5'000) / 20);
}

}  // namespace
}  // namespace einsummable::synthesis
