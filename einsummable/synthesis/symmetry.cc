// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/symmetry.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "einsummable/topology/symmetry.h"

namespace einsummable::synthesis {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }

using Asked = std::tuple<std::vector<Terminal>, std::vector<int32_t>, bool, double, double>;

std::vector<int32_t> image(std::span<const int32_t> sites, std::span<const int32_t> permutation) {
  std::vector<int32_t> moved;
  for (int32_t s : sites) moved.push_back(permutation[index(s)]);
  std::ranges::sort(moved);
  return moved;
}

std::vector<Terminal> image(std::span<const Terminal> terminals,
                            std::span<const int32_t> permutation) {
  std::vector<Terminal> moved;
  for (const Terminal& t : terminals) moved.push_back({image(t.holders, permutation), t.parts});
  return moved;
}

Asked asked(const Commodity& c, std::span<const int32_t> permutation) {
  std::vector<Terminal> terminals = image(c.terminals, permutation);
  std::ranges::sort(terminals);
  return {std::move(terminals), image(c.targets, permutation), c.formed, c.growth, c.bytes};
}

Branches image(Branches branches, std::span<const int32_t> permutation) {
  for (Hop& hop : branches.hops) {
    hop.from = permutation[index(hop.from)];
    hop.to = permutation[index(hop.to)];
  }
  return branches;
}

// The tree of `from`, taken along to `to`.
Tree image(const Tree& tree, const Commodity& from, const Commodity& to,
           std::span<const int32_t> permutation) {
  Tree moved{.gather = image(tree.gather, permutation),
             .root = tree.root < 0 ? -1 : permutation[index(tree.root)],
             .spread = image(tree.spread, permutation)};
  for (size_t t = 0; t < tree.gather.enters.size(); ++t) {
    const std::vector<int32_t> holders = image(from.terminals[t].holders, permutation);
    const auto at = std::ranges::find(to.terminals, holders, &Terminal::holders);
    moved.gather.enters[static_cast<size_t>(at - to.terminals.begin())] = tree.gather.enters[t];
  }
  moved.gather.sort();
  moved.spread.sort();
  return moved;
}

// What a permutation of the sites of the topology does to those of the network; empty if it takes
// some elsewhere.
std::vector<int32_t> within(const Network& network, const Permutation& permutation) {
  std::vector<int32_t> position(permutation.size(), -1);
  for (int32_t p = 0; p < network.sites(); ++p) position[network.site(p).index()] = p;
  std::vector<int32_t> moved;
  for (int32_t p = 0; p < network.sites(); ++p) {
    const int32_t to = position[index(permutation[network.site(p).index()])];
    if (to < 0) return {};
    moved.push_back(to);
  }
  return moved;
}

}  // namespace

Symmetry::Symmetry(const Network& network, std::span<const Commodity> commodities)
    : network_(&network), commodities_(commodities) {
  std::vector<int32_t> identity(index(network.sites()));
  std::iota(identity.begin(), identity.end(), 0);
  add(std::move(identity));
  find_orbits();
}

bool Symmetry::add(std::vector<int32_t> permutation) {
  auto rows = row_images(permutation);
  if (!rows) return false;
  auto images = commodity_images(permutation);
  if (!images) return false;
  permutations_.push_back(std::move(permutation));
  row_images_.push_back(std::move(*rows));
  images_.push_back(std::move(*images));
  return true;
}

std::optional<std::vector<int32_t>> Symmetry::row_images(
    std::span<const int32_t> permutation) const {
  const auto rates = network_->rates();
  std::vector<int32_t> to(rates.size(), -1), from(rates.size(), -1);
  const auto match = [&](int32_t a, int32_t b) {
    if (rates[index(a)] != rates[index(b)]) return false;
    if (to[index(a)] < 0 && from[index(b)] < 0) {
      to[index(a)] = b;
      from[index(b)] = a;
    }
    return to[index(a)] == b && from[index(b)] == a;
  };
  for (int32_t a = 0; a < network_->sites(); ++a) {
    const int32_t a2 = permutation[index(a)];
    if (!match(network_->memory_row(a), network_->memory_row(a2))) return std::nullopt;
    for (int32_t b = 0; b < network_->sites(); ++b) {
      if (a == b) continue;
      const int32_t b2 = permutation[index(b)];
      const Route *way = network_->route(a, b), *other = network_->route(a2, b2);
      if ((way == nullptr) != (other == nullptr)) return std::nullopt;
      if (way != nullptr && way->latency_us != other->latency_us) return std::nullopt;
      const auto rows = network_->rows(a, b), rows2 = network_->rows(a2, b2);
      if (rows.size() != rows2.size()) return std::nullopt;
      for (size_t k = 0; k < rows.size(); ++k) {
        if (!match(rows[k], rows2[k])) return std::nullopt;
      }
    }
  }
  // Rows that nothing uses stay where they are.
  for (size_t r = 0; r < to.size(); ++r) {
    if (to[r] < 0) to[r] = static_cast<int32_t>(r);
  }
  return to;
}

std::optional<std::vector<size_t>> Symmetry::commodity_images(
    std::span<const int32_t> permutation) const {
  std::vector<int32_t> identity(permutation.size());
  std::iota(identity.begin(), identity.end(), 0);
  std::map<Asked, size_t> known;
  for (size_t c = 0; c < commodities_.size(); ++c) known[asked(commodities_[c], identity)] = c;
  std::vector<size_t> images;
  for (const Commodity& c : commodities_) {
    // Trees are taken along by the holders of their terminals, so these must differ.
    std::set<std::vector<int32_t>> holders;
    for (const Terminal& t : c.terminals) holders.insert(t.holders);
    const auto at = known.find(asked(c, permutation));
    if (at == known.end() || holders.size() < c.terminals.size()) return std::nullopt;
    images.push_back(at->second);
  }
  return images;
}

void Symmetry::find_orbits() {
  representatives_.clear();
  orbit_sizes_.assign(commodities_.size(), 0);
  std::vector<bool> seen(commodities_.size(), false);
  for (size_t c = 0; c < commodities_.size(); ++c) {
    if (seen[c]) continue;
    representatives_.push_back(c);
    for (const auto& images : images_) {
      if (!seen[images[c]]) ++orbit_sizes_[c];
      seen[images[c]] = true;
    }
  }
  const size_t rows = network_->rates().size();
  row_orbits_.assign(rows, -1);
  row_orbit_sizes_.clear();
  for (size_t r = 0; r < rows; ++r) {
    if (row_orbits_[r] >= 0) continue;
    const auto orbit = static_cast<int32_t>(row_orbit_sizes_.size());
    row_orbit_sizes_.push_back(0);
    for (const auto& images : row_images_) {
      int32_t& of = row_orbits_[index(images[r])];
      if (of < 0) ++row_orbit_sizes_.back();
      of = orbit;
    }
  }
}

std::vector<std::vector<Share>> Symmetry::spread(
    const std::vector<std::vector<Share>>& shares) const {
  std::vector<std::vector<Share>> all(commodities_.size());
  for (size_t c : representatives_) {
    const double times =
        static_cast<double>(permutations_.size()) / static_cast<double>(orbit_sizes_[c]);
    for (const Share& share : shares[c]) {
      for (size_t g = 0; g < permutations_.size(); ++g) {
        const size_t to = images_[g][c];
        Tree tree = image(share.tree, commodities_[c], commodities_[to], permutations_[g]);
        const auto known = std::ranges::find(all[to], tree, &Share::tree);
        if (known == all[to].end()) {
          all[to].push_back({.tree = std::move(tree), .part = share.part / times});
        } else {
          known->part += share.part / times;
        }
      }
    }
  }
  return all;
}

Symmetry symmetry_of(const Network& network, std::span<const Commodity> commodities) {
  // A larger group makes more images of each tree than can be used.
  const size_t limit = 2 * static_cast<size_t>(network.sites());
  const Symmetry trivial(network, commodities);
  const auto keeps = [&](const Permutation& permutation) {
    const std::vector<int32_t> moved = within(network, permutation);
    return !moved.empty() && trivial.commodity_images(moved).has_value();
  };
  Symmetry found = trivial;
  const auto group = spreading_group(network.topology(), keeps, limit + 1);
  if (group.size() > limit) return trivial;
  for (const Permutation& permutation : group) {
    std::vector<int32_t> moved = within(network, permutation);
    if (std::ranges::find(found.permutations_, moved) != found.permutations_.end()) continue;
    if (!found.add(std::move(moved))) return trivial;
  }
  found.find_orbits();
  return found;
}

}  // namespace einsummable::synthesis
