// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "einsummable/synthesis/packing.h"

namespace einsummable::synthesis {

// Finds cheapest trees of commodities under prices of rows.
class CheapestTrees {
 public:
  // What every hop costs beyond its rows, as a part of the mean price of a hop.
  static constexpr double least_hop = 3e-4;

  // `row_prices`: of a millisecond of each row. `level`: what a level of depth may cost, as a part
  // of the same.
  CheapestTrees(const Network& network, std::span<const double> row_prices, double hop = least_hop,
                double level = 0);

  // The cheapest tree, or a cheap one where a commodity has many terminals or targets; none if
  // there is no way.
  std::optional<Tree> tree(const Commodity& commodity) const;

 private:
  std::optional<Branches> path(int32_t from, int32_t to) const;
  std::optional<Tree> spread(const Commodity& commodity) const;
  std::optional<Tree> gather_and_spread(const Commodity& commodity) const;
  std::vector<int32_t> roots(const Commodity& commodity, bool all) const;
  // Away from the root.
  std::optional<Branches> gathered(const Commodity& commodity, int32_t root) const;
  std::optional<Branches> spread_from(const Commodity& commodity, int32_t root) const;

  double level_ = 0;
  Prices prices_;
  Prices backwards_;                                  // the same hops, reversed
  mutable std::vector<std::vector<int32_t>> before_;  // of each source: the site before each
  Prices backwards_merge_;                            // with the price of merging what a hop brings
};

}  // namespace einsummable::synthesis
