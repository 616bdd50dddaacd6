// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/symmetry.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <set>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Colours = std::vector<uint64_t>;

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + std::rotl(b, 32) + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
uint64_t mix(double a) { return std::bit_cast<uint64_t>(a); }

bool same_figures(const Device& a, const Device& b) {
  return a.memory_bytes == b.memory_bytes && a.hbm_gbps == b.hbm_gbps &&
         a.kernel_latency_us == b.kernel_latency_us && a.flops == b.flops;
}

// A bijection that is found out pair by pair.
class Bijection {
 public:
  explicit Bijection(size_t size) : to_(size, -1), from_(size, -1) {}

  // Whether x may go to y.
  bool join(size_t x, size_t y) {
    if (to_[x] < 0 && from_[y] < 0) {
      to_[x] = static_cast<int32_t>(y);
      from_[y] = static_cast<int32_t>(x);
    }
    return to_[x] == static_cast<int32_t>(y) && from_[y] == static_cast<int32_t>(x);
  }

 private:
  std::vector<int32_t> to_, from_;
};

bool join_routes(const Topology& topology, const Route* a, const Route* b, Bijection& renamed) {
  if (!a || !b) return a == b;
  if (a->latency_us != b->latency_us || a->resources.size() != b->resources.size()) return false;
  for (size_t i = 0; i < a->resources.size(); ++i) {
    const Resource& x = topology.resource(a->resources[i]);
    const Resource& y = topology.resource(b->resources[i]);
    if (x.kind != y.kind || x.gbps != y.gbps ||
        !renamed.join(a->resources[i].index(), b->resources[i].index())) {
      return false;
    }
  }
  return true;
}

Permutation identity(int64_t sites) {
  Permutation out(static_cast<size_t>(sites));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Disjoint sets of sites, each known by its least.
class Orbits {
 public:
  explicit Orbits(int64_t sites) : parent_(identity(sites)) {}

  int32_t of(int32_t site) const {
    while (parent_[static_cast<size_t>(site)] != site) site = parent_[static_cast<size_t>(site)];
    return site;
  }
  // Whether the permutation joins any.
  bool add(const Permutation& permutation) {
    bool joined = false;
    for (size_t s = 0; s < permutation.size(); ++s) {
      const int32_t a = of(static_cast<int32_t>(s)), b = of(permutation[s]);
      if (a == b) continue;
      parent_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
      joined = true;
    }
    return joined;
  }
  int64_t size(int32_t site) const {
    int64_t out = 0;
    for (size_t s = 0; s < parent_.size(); ++s) {
      out += of(static_cast<int32_t>(s)) == of(site);
    }
    return out;
  }

 private:
  Permutation parent_;
};

// Automorphisms by colours that are refined until they tell sites apart. Sites that may be swapped,
// all others staying, are twins; they are found first, and what remains is how classes of twins may
// be permuted, each keeping the order of its sites.
class Search {
 public:
  Search(const Topology& topology, int64_t budget)
      : topology_(topology), sites_(static_cast<size_t>(topology.sites())), budget_(budget) {
    std::vector<const Device*> kinds;
    for (size_t s = 0; s < sites_; ++s) {
      const Device& device = topology.device(static_cast<int64_t>(s));
      const auto found = std::ranges::find_if(
          kinds, [&](const Device* kind) { return same_figures(*kind, device); });
      plain_.push_back(static_cast<uint64_t>(found - kinds.begin()));
      if (found == kinds.end()) kinds.push_back(&device);
    }
    plain_ = refine(plain_);
  }

  Symmetries run() {
    out_.orbit_of.resize(sites_);
    find_twins();
    Orbits orbits(topology_.sites());
    for (const Permutation& twins : out_.generators) orbits.add(twins);
    // From the last class to the first: what is found later moves earlier classes.
    for (size_t level = classes_.size(); level-- > 0;) {
      Orbits above(topology_.sites());
      for (size_t g = twin_generators_; g < out_.generators.size(); ++g) {
        above.add(out_.generators[g]);
      }
      std::set<int32_t> failed;
      const int32_t here = classes_[level].front();
      for (size_t to = level + 1; to < classes_.size(); ++to) {
        const int32_t there = classes_[to].front();
        if (above.of(there) == above.of(here) || failed.contains(above.of(there))) continue;
        std::vector<size_t> images(level);
        std::iota(images.begin(), images.end(), size_t{0});
        images.push_back(to);
        if (const auto found = extend(images)) {
          out_.generators.push_back(*found);
          above.add(*found);
          orbits.add(*found);
        } else {
          failed.insert(above.of(there));
        }
      }
      // Classes keep their order inside, so only first sites meet.
      out_.order *= static_cast<double>(above.size(here));
    }
    for (size_t s = 0; s < sites_; ++s) out_.orbit_of[s] = orbits.of(static_cast<int32_t>(s));
    return std::move(out_);
  }

 private:
  // Colours that do not depend on the sites' numbers: sites of different colours are not alike.
  Colours refine(Colours colours) const {
    size_t count = 0;
    for (;;) {
      Colours sorted = colours;
      std::ranges::sort(sorted);
      const auto distinct =
          static_cast<size_t>(std::ranges::unique(sorted).begin() - sorted.begin());
      if (distinct <= count) return colours;
      count = distinct;
      colours = refined_once(colours);
    }
  }

  Colours refined_once(const Colours& colours) const {
    Colours resources(topology_.resources.size());
    for_each_route([&](size_t a, size_t b, const Route& route) {
      for (size_t i = 0; i < route.resources.size(); ++i) {
        resources[route.resources[i].index()] += mix(mix(colours[a], colours[b]), i);
      }
    });
    for (size_t r = 0; r < resources.size(); ++r) {
      const Resource& resource = topology_.resources[r];
      resources[r] =
          mix(resources[r], mix(static_cast<uint64_t>(resource.kind), mix(resource.gbps)));
    }
    Colours out(sites_);
    for_each_route([&](size_t a, size_t b, const Route& route) {
      uint64_t pair = mix(route.latency_us);
      for (ResourceId id : route.resources) pair = mix(pair, resources[id.index()]);
      const bool together = topology_.device_of[a] == topology_.device_of[b];
      out[a] += mix(mix(pair, colours[b]), together ? 3 : 1);
      out[b] += mix(mix(pair, colours[a]), together ? 4 : 2);
    });
    for (size_t s = 0; s < sites_; ++s) out[s] = mix(colours[s], out[s]);
    return out;
  }

  template <class F>
  void for_each_route(const F& visit) const {
    for (size_t a = 0; a < sites_; ++a) {
      for (size_t b = 0; b < sites_; ++b) {
        const int32_t id = topology_.route_of[a * sites_ + b];
        if (id >= 0) visit(a, b, topology_.routes[static_cast<size_t>(id)]);
      }
    }
  }

  void find_twins() {
    for (size_t s = 0; s < sites_; ++s) {
      const auto site = static_cast<int32_t>(s);
      const auto home = std::ranges::find_if(classes_, [&](const std::vector<int32_t>& twins) {
        if (plain_[static_cast<size_t>(twins.front())] != plain_[s]) return false;
        Permutation swapped = identity(topology_.sites());
        std::swap(swapped[static_cast<size_t>(twins.back())], swapped[s]);
        if (!is_automorphism(topology_, swapped)) return false;
        out_.generators.push_back(std::move(swapped));
        return true;
      });
      if (home == classes_.end()) {
        classes_.push_back({site});
      } else {
        home->push_back(site);
        out_.order *= static_cast<double>(home->size());
      }
    }
    twin_generators_ = out_.generators.size();
  }

  // The colours once the classes images[0], images[1], ... are told apart in that order.
  Colours told_apart(const std::vector<size_t>& images) const {
    Colours colours = plain_;
    for (size_t i = 0; i < images.size(); ++i) {
      const std::vector<int32_t>& members = classes_[images[i]];
      for (size_t rank = 0; rank < members.size(); ++rank) {
        auto& colour = colours[static_cast<size_t>(members[rank])];
        colour = mix(colour, mix(i + 1, rank));
      }
    }
    return refine(std::move(colours));
  }

  // An automorphism that takes class i to class images[i], for each given; none if there is none.
  std::optional<Permutation> extend(std::vector<size_t>& images) {
    if (--budget_ < 0) {
      out_.complete = false;
      return std::nullopt;
    }
    const size_t next = images.size();
    std::vector<size_t> fixed(next);
    std::iota(fixed.begin(), fixed.end(), size_t{0});
    const Colours before = told_apart(fixed), after = told_apart(images);
    Colours sorted_before = before, sorted_after = after;
    std::ranges::sort(sorted_before);
    std::ranges::sort(sorted_after);
    if (sorted_before != sorted_after) return std::nullopt;
    if (next == classes_.size()) {
      Permutation found = permutation_of(images);
      return is_automorphism(topology_, found) ? std::optional(found) : std::nullopt;
    }
    for (size_t to = 0; to < classes_.size(); ++to) {
      if (std::ranges::find(images, to) != images.end() ||
          classes_[to].size() != classes_[next].size() ||
          after[static_cast<size_t>(classes_[to].front())] !=
              before[static_cast<size_t>(classes_[next].front())]) {
        continue;
      }
      images.push_back(to);
      if (auto found = extend(images)) return found;
      images.pop_back();
    }
    return std::nullopt;
  }

  Permutation permutation_of(const std::vector<size_t>& images) const {
    Permutation out(sites_);
    for (size_t c = 0; c < classes_.size(); ++c) {
      for (size_t rank = 0; rank < classes_[c].size(); ++rank) {
        out[static_cast<size_t>(classes_[c][rank])] = classes_[images[c]][rank];
      }
    }
    return out;
  }

  const Topology& topology_;
  size_t sites_;
  int64_t budget_;
  Colours plain_;
  std::vector<std::vector<int32_t>> classes_;  // of twins, each ascending
  size_t twin_generators_ = 0;
  Symmetries out_;
};

Permutation product(const Permutation& first, const Permutation& second) {
  Permutation out(first.size());
  for (size_t s = 0; s < first.size(); ++s) out[s] = second[static_cast<size_t>(first[s])];
  return out;
}

// The sites as digits of every kind of mixed radix: one digit is turned by one, all others stay.
std::vector<Permutation> turns(int64_t sites) {
  std::vector<Permutation> out;
  for (int64_t base = sites; base > 1; --base) {
    for (int64_t stride = 1; stride * base <= sites; ++stride) {
      if (sites % (stride * base) != 0) continue;
      Permutation turned = identity(sites);
      for (int64_t s = 0; s < sites; ++s) {
        const int64_t digit = s / stride % base;
        turned[static_cast<size_t>(s)] =
            static_cast<int32_t>(s + ((digit + 1) % base - digit) * stride);
      }
      out.push_back(std::move(turned));
    }
  }
  return out;
}

}  // namespace

bool is_automorphism(const Topology& topology, const Permutation& permutation) {
  const int64_t sites = topology.sites();
  ensure(std::ssize(permutation) == sites, "a permutation of other sites");
  Bijection sites_renamed(static_cast<size_t>(sites)), devices(topology.devices.size());
  for (size_t s = 0; s < permutation.size(); ++s) {
    const auto to = static_cast<size_t>(permutation[s]);
    if (!sites_renamed.join(s, to) ||
        !devices.join(static_cast<size_t>(topology.device_of[s]),
                      static_cast<size_t>(topology.device_of[to])) ||
        !same_figures(topology.device(static_cast<int64_t>(s)), topology.device(permutation[s]))) {
      return false;
    }
  }
  Bijection resources(topology.resources.size());
  for (int64_t a = 0; a < sites; ++a) {
    for (int64_t b = 0; b < sites; ++b) {
      if (!join_routes(topology, topology.route(a, b),
                       topology.route(permutation[static_cast<size_t>(a)],
                                      permutation[static_cast<size_t>(b)]),
                       resources)) {
        return false;
      }
    }
  }
  return true;
}

Symmetries symmetries(const Topology& topology, int64_t budget) {
  return Search(topology, budget).run();
}

std::vector<Permutation> group_elements(const std::vector<Permutation>& generators, int64_t sites,
                                        size_t limit) {
  std::vector<Permutation> out = {identity(sites)};
  std::set<Permutation> known(out.begin(), out.end());
  for (size_t next = 0; next < out.size() && out.size() < limit; ++next) {
    for (const Permutation& generator : generators) {
      Permutation made = product(out[next], generator);
      if (out.size() < limit && known.insert(made).second) out.push_back(std::move(made));
    }
  }
  return out;
}

std::vector<Permutation> spreading_group(const Topology& topology,
                                         const std::function<bool(const Permutation&)>& keeps,
                                         size_t limit) {
  const int64_t sites = topology.sites();
  std::vector<Permutation> generators, elements = {identity(sites)};
  Orbits orbits(sites);
  const auto offer = [&](const Permutation& candidate, bool known) {
    Orbits joined = orbits;
    if (!joined.add(candidate) || !keeps(candidate) ||
        (!known && !is_automorphism(topology, candidate))) {
      return;
    }
    generators.push_back(candidate);
    std::vector<Permutation> grown = group_elements(generators, sites, limit + 1);
    if (grown.size() > limit) {
      generators.pop_back();
      return;
    }
    elements = std::move(grown);
    orbits = joined;
  };
  for (const Permutation& turn : turns(sites)) offer(turn, false);
  // Machines without such an order: among what their own symmetries make.
  for (const Permutation& element : group_elements(symmetries(topology).generators, sites, limit)) {
    offer(element, true);
  }
  return elements;
}

}  // namespace einsummable
