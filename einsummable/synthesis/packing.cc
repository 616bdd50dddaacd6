// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/packing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "einsummable/base/error.h"
#include "einsummable/exchange/linear_program.h"
#include "einsummable/synthesis/cheapest.h"
#include "einsummable/synthesis/symmetry.h"

namespace einsummable::synthesis {
namespace {

using exchange::LinearProgram;

int32_t depth_of(std::span<const Hop> hops) {
  std::vector<int32_t> depth(hops.size());
  int32_t most = 0;
  for (size_t i = 0; i < hops.size(); ++i) {
    depth[i] = 1 + (hops[i].next < 0 ? 0 : depth[static_cast<size_t>(hops[i].next)]);
    most = std::max(most, depth[i]);
  }
  return most;
}

// The linear program: x is the part of a commodity that goes along a tree, T the load of the
// busiest row, both near 1.
class Packer {
 public:
  Packer(const Network& network, std::span<const Commodity> commodities,
         const PackingOptions& options)
      : network_(network),
        commodities_(commodities),
        options_(options),
        symmetry_(symmetry_of(network, commodities)),
        columns_(commodities.size()) {
    for (const Commodity& c : commodities) bytes_ += c.bytes;
  }

  std::vector<Packing> run() {
    if (!may_price()) return {};
    const std::vector<double> even(network_.rates().size(),
                                   1.0 / static_cast<double>(network_.rates().size()));
    const CheapestTrees trees(network_, even);
    std::vector<std::pair<size_t, Tree>> first;
    std::vector<double> load(orbits(), 0);
    for (size_t c : symmetry_.representatives()) {
      auto tree = trees.tree(commodities_[c]);
      if (!tree) return {};
      for (const auto& [orbit, use] : use(c, *tree)) load[static_cast<size_t>(orbit)] += use;
      first.emplace_back(c, std::move(*tree));
    }
    unit_ = load.empty() ? 0 : *std::ranges::max_element(load);
    if (unit_ <= 0) return {free_packing(std::move(first))};
    start();
    for (auto& [c, tree] : first) add(c, std::move(tree));
    warm_up(load);
    Packing packing{.ms = 0, .bound = 0, .commodities = {}};
    for (int32_t round = 0; round < options_.rounds && may_go_on(); ++round) {
      if (program_.solve() != LinearProgram::Outcome::optimal) break;
      packing.ms = program_.objective() * unit_;
      if (!improve(packing)) break;
    }
    if (packing.bound > options_.cutoff || options_.slacks.empty()) return {packing};
    std::vector<Packing> packings;
    if (program_.solve() != LinearProgram::Outcome::optimal) return packings;
    const double least = program_.objective();
    program_.set_column_bounds(load_, 0, least * (1 + options_.slacks.front()));
    if (may_price()) add_shallow();
    charge_depths();
    for (double slack : options_.slacks) {
      program_.set_column_bounds(load_, 0, least * (1 + slack));
      if (!prefer_shallow()) break;
      packing.ms = program_.value(load_) * unit_;
      packing.commodities = shares();
      packings.push_back(packing);
    }
    return packings;
  }

 private:
  struct Column {
    Tree tree;
    int32_t number = 0;
  };

  size_t orbits() const { return symmetry_.row_orbit_sizes().size(); }

  // The load that all of a commodity's orbit puts on each row of an orbit of rows, where all go
  // along images of this tree; in units.
  std::vector<std::pair<int32_t, double>> use(size_t c, const Tree& tree) const {
    std::map<int32_t, double> load;
    const double bytes = commodities_[c].bytes * static_cast<double>(symmetry_.orbit_size(c));
    for (const auto& [row, ms] : use_of(network_, commodities_[c], tree)) {
      const int32_t orbit = symmetry_.row_orbits()[static_cast<size_t>(row)];
      load[orbit] += ms * bytes / symmetry_.row_orbit_sizes()[static_cast<size_t>(orbit)] / unit_;
    }
    return {load.begin(), load.end()};
  }

  Packing free_packing(std::vector<std::pair<size_t, Tree>> trees) const {
    std::vector<std::vector<Share>> shares(commodities_.size());
    for (auto& [c, tree] : trees) shares[c].push_back({.tree = std::move(tree), .part = 1});
    return {.ms = 0, .bound = 0, .commodities = symmetry_.spread(shares)};
  }

  void start() {
    std::vector<LinearProgram::Entry> entries;
    for (size_t r = 0; r < orbits(); ++r)
      entries.push_back({program_.add_row(-LinearProgram::infinity, 0), -1});
    commodity_rows_.assign(commodities_.size(), -1);
    for (size_t c : symmetry_.representatives()) commodity_rows_[c] = program_.add_row(1, 1);
    load_ = program_.add_column(1, entries);
  }

  void add(size_t c, Tree tree) {
    std::vector<LinearProgram::Entry> entries = {{commodity_rows_[c], 1}};
    for (const auto& [orbit, load] : use(c, tree)) entries.push_back({orbit, load});
    const int32_t number = program_.add_column(0, entries);
    columns_[c].push_back({std::move(tree), number});
  }

  // As many rounds as are worth it, at most so many: fewer where each takes long.
  int64_t rounds_of(int64_t most) const {
    constexpr double trees = 4'096, steps = 5e7;
    double work = 1;
    const auto n = static_cast<double>(network_.sites());
    for (size_t c : symmetry_.representatives())
      work += commodities_[c].formed && commodities_[c].targets.size() == 1 ? n : n * n * n;
    const auto representatives = static_cast<double>(symmetry_.representatives().size());
    return std::min(most, static_cast<int64_t>(std::min(trees / representatives, steps / work)));
  }

  // Counts a pass in which every commodity is given a cheapest tree; whether there is time for it.
  bool may_price() {
    options_.interruption.check();
    for (size_t c : symmetry_.representatives()) work_ += tree_work(commodities_[c]);
    return work_ <= options_.work;
  }

  // Counts a solution of the linear program, and the pass that makes trees of its prices.
  bool may_go_on() {
    constexpr double an_entry = 30;
    double columns = 0;
    for (const auto& of_commodity : columns_) columns += static_cast<double>(of_commodity.size());
    const size_t rows = orbits() + symmetry_.representatives().size();
    work_ += an_entry * columns * static_cast<double>(rows);
    return may_price();
  }

  // Steps to find a commodity's cheapest tree.
  double tree_work(const Commodity& commodity) const {
    const auto n = static_cast<double>(network_.sites());
    const size_t terminals = commodity.terminals.size();
    if (commodity.formed || terminals > GatherTable::terminal_limit) return n * n;
    return std::pow(3, terminals) * n + std::pow(2, terminals) * n * n;
  }

  // Adds trees without solving the program: what has carried much so far is dear for the next ones.
  void warm_up(std::vector<double> load) {
    constexpr double steepness = 8;
    for (double& l : load) l /= unit_;
    const int64_t rounds = std::min<int64_t>(rounds_of(64), 2 * network_.sites());
    for (int64_t round = 0; round < rounds && may_price(); ++round) {
      const double most = *std::ranges::max_element(load);
      std::vector<double> prices;
      for (double l : load) prices.push_back(std::exp(steepness * (l / most - 1)));
      const CheapestTrees trees(network_, row_prices(prices));
      for (size_t c : symmetry_.representatives()) {
        auto tree = trees.tree(commodities_[c]);
        if (!tree) continue;
        for (const auto& [orbit, more] : use(c, *tree)) load[static_cast<size_t>(orbit)] += more;
        add(c, std::move(*tree));
      }
    }
  }

  // What the program would give for a little more of each orbit of rows; they add up to 1 as long
  // as it minimises the load.
  std::vector<double> orbit_prices() const {
    std::vector<double> prices;
    for (size_t r = 0; r < orbits(); ++r)
      prices.push_back(std::max(0.0, -program_.price(static_cast<int32_t>(r))));
    return prices;
  }

  // Of a millisecond of each row.
  std::vector<double> row_prices(std::span<const double> prices) const {
    std::vector<double> rows;
    for (int32_t orbit : symmetry_.row_orbits()) {
      const auto o = static_cast<size_t>(orbit);
      rows.push_back(prices[o] / symmetry_.row_orbit_sizes()[o]);
    }
    return rows;
  }

  double price(size_t c, const Tree& tree, std::span<const double> prices) const {
    double sum = 0;
    for (const auto& [orbit, load] : use(c, tree)) sum += load * prices[static_cast<size_t>(orbit)];
    return sum;
  }

  // Adds the cheapest trees under the present prices. False if that cannot make it much better.
  // Prices jump from round to round; those half way to the ones that gave the best bound so far
  // find better trees, and where they find none the prices themselves decide.
  bool improve(Packing& packing) {
    const std::vector<double> now = orbit_prices();
    if (!center_.empty()) {
      std::vector<double> between = now;
      for (size_t r = 0; r < now.size(); ++r) between[r] = (now[r] + center_[r]) / 2;
      if (add_cheapest(between, now, packing)) return true;
      if (close_enough(packing)) return false;
    }
    return add_cheapest(now, now, packing);
  }

  bool close_enough(const Packing& packing) const {
    return packing.ms <= packing.bound * (1 + options_.tolerance) ||
           packing.bound > options_.cutoff;
  }

  // Adds the cheapest trees under `prices` that are worth it at those of `now`. False if there is
  // none or it is close enough.
  bool add_cheapest(std::span<const double> prices, std::span<const double> now, Packing& packing) {
    const CheapestTrees trees(network_, row_prices(prices));
    double bound = 0;
    std::vector<std::pair<size_t, Tree>> better;
    for (size_t c : symmetry_.representatives()) {
      auto tree = trees.tree(commodities_[c]);
      ensure(tree.has_value(), "a commodity that had a way has one");
      bound += price(c, *tree, prices);
      if (price(c, *tree, now) < program_.price(commodity_rows_[c]) - 1e-9)
        better.emplace_back(c, std::move(*tree));
    }
    if (bound * unit_ > packing.bound) {
      packing.bound = bound * unit_;
      center_.assign(prices.begin(), prices.end());
    }
    if (better.empty() || close_enough(packing)) return false;
    for (auto& [c, tree] : better) add(c, std::move(tree));
    return true;
  }

  // From here on the program minimises depth, not load.
  void charge_depths() {
    program_.set_cost(load_, 0);
    for (size_t c = 0; c < commodities_.size(); ++c) {
      for (const Column& column : columns_[c]) charge_depth(c, column);
    }
    depth_is_charged_ = true;
  }

  // Whether the solver found it.
  bool prefer_shallow() {
    const int64_t rounds = rounds_of(8);
    for (int64_t round = 0;; ++round) {
      if (program_.solve() != LinearProgram::Outcome::optimal) return false;
      if (round >= rounds || !may_go_on() || !add_shallow()) return true;
    }
  }

  void charge_depth(size_t c, const Column& column) {
    program_.set_cost(column.number, depth_cost(c, column.tree));
  }

  double depth_cost(size_t c, const Tree& tree) const {
    const double depth = tree.depth();
    return commodities_[c].bytes * static_cast<double>(symmetry_.orbit_size(c)) / bytes_ * depth *
           depth;
  }

  void shallow(const CheapestTrees& trees, std::span<const double> prices,
               std::vector<std::pair<size_t, Tree>>& found) const {
    for (size_t c : symmetry_.representatives()) {
      auto tree = trees.tree(commodities_[c]);
      if (!tree) continue;
      if (depth_is_charged_ && price(c, *tree, prices) + depth_cost(c, *tree) >
                                   program_.price(commodity_rows_[c]) - 1e-6)
        continue;
      found.emplace_back(c, std::move(*tree));
    }
  }

  // Adds trees under the present prices where hops and depth are dearer: any, or those that make
  // the depths less. False if there is none.
  bool add_shallow() {
    const std::vector<double> prices = orbit_prices();
    const std::vector<double> rows = row_prices(prices);
    std::vector<std::pair<size_t, Tree>> found;
    if (rounds_of(8) < 8) {
      shallow(CheapestTrees(network_, rows, 0.1, 0.1), prices, found);
    } else {
      for (double hop : {0.01, 0.1, 1.0}) {
        for (double level : {0.01, 0.1, 1.0})
          shallow(CheapestTrees(network_, rows, hop, level), prices, found);
      }
    }
    bool any = false;
    for (auto& [c, tree] : found) {
      const bool known = std::ranges::find(columns_[c], tree, &Column::tree) != columns_[c].end();
      if (known) continue;
      any = true;
      add(c, std::move(tree));
      if (depth_is_charged_) charge_depth(c, columns_[c].back());
    }
    return any;
  }

  std::vector<std::vector<Share>> shares() const {
    constexpr double least = 1e-4;
    std::vector<std::vector<Share>> shares(commodities_.size());
    for (size_t c : symmetry_.representatives()) {
      double sum = 0;
      for (const Column& column : columns_[c]) {
        const double part = program_.value(column.number);
        if (part < least) continue;
        sum += part;
        shares[c].push_back({column.tree, part});
      }
      for (Share& share : shares[c]) share.part /= sum;
    }
    return symmetry_.spread(shares);
  }

  const Network& network_;
  std::span<const Commodity> commodities_;
  const PackingOptions& options_;
  LinearProgram program_;
  double unit_ = 1;   // milliseconds
  double bytes_ = 0;  // of all commodities
  int32_t load_ = 0;
  double work_ = 0;  // steps so far
  bool depth_is_charged_ = false;
  Symmetry symmetry_;
  std::vector<double> center_;                // the prices of the best bound
  std::vector<int32_t> commodity_rows_;       // -1: of an orbit that another stands for
  std::vector<std::vector<Column>> columns_;  // of each commodity
};

}  // namespace

int32_t Tree::depth() const { return depth_of(gather.hops) + depth_of(spread.hops); }

std::vector<std::pair<int32_t, double>> use_of(const Network& network, const Commodity& commodity,
                                               const Tree& tree) {
  std::map<int32_t, double> bytes;
  const auto send = [&](const Hop& hop, double size) {
    for (int32_t row : network.rows(hop.from, hop.to)) bytes[row] += size;
  };
  // What comes together at the root (0) and where each hop begins (1 + the hop).
  std::vector<double> inputs(tree.gather.hops.size() + 1, 0);
  for (const Hop& hop : tree.gather.hops) {
    send(hop, 1);
    ++inputs[static_cast<size_t>(hop.next + 1)];
  }
  for (size_t t = 0; t < tree.gather.enters.size(); ++t)
    inputs[static_cast<size_t>(tree.gather.enters[t] + 1)] += commodity.terminals[t].parts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < 2) continue;
    const int32_t site = i == 0 ? tree.root : tree.gather.hops[i - 1].from;
    bytes[network.memory_row(site)] += inputs[i] + (i == 0 ? commodity.growth : 1);
  }
  for (const Hop& hop : tree.spread.hops) send(hop, commodity.growth);
  std::vector<std::pair<int32_t, double>> use;
  for (const auto& [row, size] : bytes) {
    const double rate = network.rates()[static_cast<size_t>(row)];
    if (rate > 0) use.emplace_back(row, size / rate);
  }
  return use;
}

std::vector<Packing> pack(const Network& network, std::span<const Commodity> commodities,
                          const PackingOptions& options) {
  if (commodities.empty()) return {Packing{}};
  return Packer(network, commodities, options).run();
}

}  // namespace einsummable::synthesis
