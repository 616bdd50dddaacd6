// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/synthesis/commodities.h"
#include "einsummable/synthesis/network.h"
#include "einsummable/synthesis/packing.h"

namespace einsummable::synthesis {

// Permutations of the sites that leave the network and what is asked for as they are: a group. A
// packing may then be sought for one commodity of each
// orbit, on rows that stand for their orbits.
class Symmetry {
 public:
  // The trivial one: nothing but the identity.
  Symmetry(const Network& network, std::span<const Commodity> commodities);

  bool trivial() const { return permutations_.size() == 1; }
  // The commodities that stand for their orbits, and how many each stands for.
  std::span<const size_t> representatives() const { return representatives_; }
  int64_t orbit_size(size_t representative) const { return orbit_sizes_[representative]; }
  // The orbit of each row, and its size.
  std::span<const int32_t> row_orbits() const { return row_orbits_; }
  std::span<const int32_t> row_orbit_sizes() const { return row_orbit_sizes_; }
  // The shares of all commodities, from those of the representatives (the others' are empty): every
  // tree is taken along by every permutation.
  std::vector<std::vector<Share>> spread(const std::vector<std::vector<Share>>& shares) const;

 private:
  friend Symmetry symmetry_of(const Network& network, std::span<const Commodity> commodities);

  // Whether the permutation leaves everything as it is; if so, appends it.
  bool add(std::vector<int32_t> permutation);
  std::optional<std::vector<int32_t>> row_images(std::span<const int32_t> permutation) const;
  std::optional<std::vector<size_t>> commodity_images(std::span<const int32_t> permutation) const;
  void find_orbits();

  const Network* network_;
  std::span<const Commodity> commodities_;
  std::vector<std::vector<int32_t>> permutations_;  // the identity first
  std::vector<std::vector<int32_t>> row_images_;    // of each permutation
  std::vector<std::vector<size_t>> images_;         // of the commodities, of each permutation
  std::vector<size_t> representatives_;
  std::vector<int64_t> orbit_sizes_;  // of each commodity
  std::vector<int32_t> row_orbits_, row_orbit_sizes_;
};

// A small group with few orbits. Both arguments are kept by reference.
Symmetry symmetry_of(const Network& network, std::span<const Commodity> commodities);

}  // namespace einsummable::synthesis
