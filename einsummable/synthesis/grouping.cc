// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/grouping.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/synthesis/commodities.h"
#include "einsummable/synthesis/network.h"
#include "einsummable/synthesis/packing.h"
#include "einsummable/synthesis/placement.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

size_t index(int32_t i) { return static_cast<size_t>(i); }

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

uint64_t mix_sorted(uint64_t hash, std::vector<uint64_t> values) {
  std::ranges::sort(values);
  for (uint64_t v : values) hash = mix(hash, v);
  return hash;
}

// A number that is the same for demands on a network that differ only in the names of sites: sites
// and demands are told apart by what they have to do with each other, in a few rounds.
class Likeness {
 public:
  Likeness(const Network& network, std::span<const Commodity> commodities)
      : commodities_(commodities), sites_(index(network.sites()), 1) {
    const int32_t n = network.sites();
    ways_.resize(sites_.size() * sites_.size());
    for (int32_t a = 0; a < n; ++a) {
      for (int32_t b = 0; b < n; ++b) {
        const Route* way = a == b ? nullptr : network.route(a, b);
        uint64_t hash = way == nullptr ? 0 : mix(1, std::bit_cast<uint64_t>(way->latency_us));
        for (int32_t row : network.rows(a, b))
          hash = mix(hash, std::bit_cast<uint64_t>(network.rates()[index(row)]));
        ways_[index(a) * sites_.size() + index(b)] = hash;
      }
    }
  }

  uint64_t hash() {
    constexpr int rounds = 3;
    uint64_t all = 7;
    for (int round = 0; round < rounds; ++round) {
      std::vector<uint64_t> demands;
      std::vector<std::vector<uint64_t>> parts(sites_.size());
      for (const Commodity& c : commodities_) demands.push_back(look_at(c, parts));
      refine(std::move(parts));
      all = mix_sorted(mix_sorted(all, sites_), std::move(demands));
    }
    return all;
  }

 private:
  // A number for a demand by what its sites are to it and to each other. Appends to `parts` what it
  // is to each of its sites.
  uint64_t look_at(const Commodity& c, std::vector<std::vector<uint64_t>>& parts) const {
    std::map<int32_t, uint64_t> roles;
    for (int32_t s : c.targets) roles[s] = 1;
    for (const Terminal& t : c.terminals) {
      for (int32_t s : t.holders) roles[s] += mix(static_cast<uint64_t>(t.parts), t.holders.size());
    }
    uint64_t hash = mix(c.formed ? 2 : 3, std::bit_cast<uint64_t>(c.bytes));
    hash = mix(hash, std::bit_cast<uint64_t>(c.growth));
    std::vector<uint64_t> pairs;
    for (const auto& [a, role] : roles) {
      for (const auto& [b, other] : roles)
        pairs.push_back(
            mix(mix(mix(mix(way(a, b), role), other), sites_[index(a)]), sites_[index(b)]));
    }
    hash = mix_sorted(hash, std::move(pairs));
    for (const auto& [s, role] : roles) parts[index(s)].push_back(mix(hash, role));
    return hash;
  }

  uint64_t way(int32_t from, int32_t to) const {
    return ways_[index(from) * sites_.size() + index(to)];
  }

  void refine(std::vector<std::vector<uint64_t>> parts) {
    const auto n = static_cast<int32_t>(sites_.size());
    std::vector<uint64_t> next;
    for (int32_t a = 0; a < n; ++a) {
      std::vector<uint64_t> around;
      for (int32_t b = 0; b < n; ++b)
        around.push_back(mix(mix(way(a, b), way(b, a)), sites_[index(b)]));
      next.push_back(
          mix_sorted(mix_sorted(sites_[index(a)], std::move(around)), std::move(parts[index(a)])));
    }
    sites_ = std::move(next);
  }

  std::span<const Commodity> commodities_;
  std::vector<uint64_t> sites_;
  std::vector<uint64_t> ways_;  // [from * sites + to]
};

class Grouping {
 public:
  Grouping(const Program& preamble, const Topology& topology, Members members,
           const GroupingOptions& options)
      : program_(preamble),
        options_(options),
        network_(topology, preamble.sites()),
        members_(std::move(members)) {
    members_.resize(preamble.partitions().size());
    std::vector<bool> free(preamble.sites().size(), true);
    for (const auto& fixed : members_) {
      for (SiteId s : fixed) free[position(s)] = false;
    }
    for (size_t i = 0; i < free.size(); ++i) {
      if (free[i]) free_.push_back(preamble.sites()[i]);
    }
    for (size_t g = 0; g < members_.size(); ++g) {
      if (members_[g].empty()) open_.push_back(g);
    }
  }

  Members run() {
    if (open_.empty()) return members_;
    assign();
    for (auto& group : members_) std::ranges::sort(group);
    if (open_.size() == 1) return members_;
    load_ = load(members_);
    while (!done() && swap()) {
    }
    return members_;
  }

 private:
  size_t position(SiteId site) const {
    return static_cast<size_t>(std::ranges::lower_bound(program_.sites(), site) -
                               program_.sites().begin());
  }

  // The time of a byte on the fastest way between sites, in ms.
  std::vector<double> way_times() const {
    const int32_t n = network_.sites();
    std::vector<double> times(index(n) * index(n), no_way);
    const auto at = [&](int32_t a, int32_t b) -> double& {
      return times[index(a) * index(n) + index(b)];
    };
    for (int32_t a = 0; a < n; ++a) {
      for (int32_t b = 0; b < n; ++b) {
        if (a == b) at(a, b) = 0;
        if (a == b || network_.route(a, b) == nullptr) continue;
        at(a, b) = 0;
        for (int32_t row : network_.rows(a, b))
          at(a, b) = std::max(at(a, b), 1 / network_.rates()[index(row)]);
      }
    }
    for (int32_t k = 0; k < n; ++k) {
      for (int32_t a = 0; a < n; ++a) {
        for (int32_t b = 0; b < n; ++b) at(a, b) = std::min(at(a, b), at(a, k) + at(k, b));
      }
    }
    return times;
  }

  // Puts the places of the open partitions on the free sites, each where least must be brought.
  void assign() {
    const std::vector<double> times = way_times();
    const size_t n = program_.sites().size();
    std::vector<std::vector<size_t>> holders(program_.atoms().size());
    for (const Given& g : program_.given()) {
      for (AtomId a : program_.atoms(g.aggregate)) holders[a.index()].push_back(position(g.site));
    }
    std::vector<std::vector<double>> cost(members_.size(), std::vector<double>(n, 0));
    double most = 0;
    for (const Requirement& r : program_.required()) {
      if (r.place.is_site()) continue;
      std::vector<double>& of = cost[r.place.partition.index()];
      for (AtomId a : program_.atoms(r.aggregate)) {
        for (size_t s = 0; s < n; ++s) {
          double time = no_way;
          for (size_t h : holders[a.index()]) time = std::min(time, times[h * n + s]);
          of[s] += static_cast<double>(program_.atom(a).bytes) * std::min(time, 1e9);
          most = std::max(most, of[s]);
        }
      }
    }
    std::vector<size_t> cells;
    for (size_t g : open_)
      cells.insert(cells.end(), static_cast<size_t>(program_.partitions()[g].size), g);
    ensure(cells.size() == free_.size(), "the partitions cover the sites");
    constexpr double scale = 1e12;
    std::vector<int64_t> gain;
    for (size_t g : cells) {
      for (SiteId s : free_)
        gain.push_back(most > 0 ? std::llround((1 - cost[g][position(s)] / most) * scale) : 0);
    }
    const auto places =
        place(static_cast<int64_t>(cells.size()), static_cast<int64_t>(free_.size()), gain);
    for (size_t c = 0; c < cells.size(); ++c)
      members_[cells[c]].push_back(free_[places[c].index()]);
  }

  // The load of the best packing; infinity where it cannot be less than that of the present choice,
  // or where the like has been tried.
  double load(const Members& members) {
    const Commodities read = commodities_of(program_, members);
    if (!read.ok) return no_way;
    if (!tried_.insert(Likeness(network_, read.commodities).hash()).second) return no_way;
    --left_;
    const auto packings = pack(network_, read.commodities, {.cutoff = load_, .slacks = {}});
    return packings.empty() || packings[0].bound >= load_ ? no_way : packings[0].ms;
  }

  // Two places in open partitions.
  struct Swap {
    size_t group, member, other_group, other_member;
  };

  std::vector<Swap> swaps() const {
    std::vector<Swap> all;
    for (size_t i = 0; i < open_.size(); ++i) {
      for (size_t j = i + 1; j < open_.size(); ++j) {
        for (size_t a = 0; a < members_[open_[i]].size(); ++a) {
          for (size_t b = 0; b < members_[open_[j]].size(); ++b)
            all.push_back({open_[i], a, open_[j], b});
        }
      }
    }
    return all;
  }

  // Makes the swaps if that lowers the load.
  bool take(std::initializer_list<Swap> swaps) {
    constexpr double better = 0.999;
    Members swapped = members_;
    for (const Swap& s : swaps)
      std::swap(swapped[s.group][s.member], swapped[s.other_group][s.other_member]);
    for (auto& group : swapped) std::ranges::sort(group);
    const double ms = load(swapped);
    if (ms >= load_ * better) return false;
    load_ = ms;
    members_ = std::move(swapped);
    return true;
  }

  bool done() const { return left_ <= 0 || load_ <= options_.good_enough_ms; }

  // Swaps sites of different open partitions, one pair or two at once, if that lowers the load.
  bool swap() {
    const std::vector<Swap> all = swaps();
    for (const Swap& s : all) {
      if (done()) return false;
      if (take({s})) return true;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (done()) return false;
        if (take({all[j], all[i]})) return true;
      }
    }
    return false;
  }

  const Program& program_;
  const GroupingOptions& options_;
  Network network_;
  Members members_;
  std::vector<SiteId> free_;
  std::vector<size_t> open_;  // partitions
  double load_ = no_way;
  int64_t left_ = options_.packings;
  std::set<uint64_t> tried_;
};

}  // namespace

Members choose_members(const Program& preamble, const Topology& topology, Members members,
                       const GroupingOptions& options) {
  return Grouping(preamble, topology, std::move(members), options).run();
}

}  // namespace einsummable::synthesis
