// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds_demand.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "einsummable/base/error.h"

namespace einsummable::exchange {
namespace {

constexpr double giga = 1e9;

struct Wanted {
  PlaceSet places;
  int64_t spread = 0;
};

class Finder {
 public:
  Finder(const Program& preamble, const Places& places)
      : program_(preamble), places_(places), given_(preamble.atoms().size()) {
    for (const Given& given : preamble.given()) {
      for (AtomId atom : preamble.atoms(given.aggregate)) given_[atom.index()].push_back(&given);
    }
  }

  std::vector<Demand> run(const Members& members) {
    std::map<AggregateId, Wanted> wanted;
    for (const Requirement& requirement : program_.required()) {
      want(wanted[requirement.aggregate], requirement.place, members);
    }
    // Small ones first: they leave the large ones something that counts.
    std::vector<AggregateId> order;
    for (const auto& [aggregate, unused] : wanted) order.push_back(aggregate);
    std::ranges::stable_sort(order, {}, [&](AggregateId id) { return program_.atoms(id).size(); });
    claims_.assign(program_.atoms().size(), 0);
    for (AggregateId id : order) {
      for (AtomId atom : program_.atoms(id)) ++claims_[atom.index()];
    }
    claimed_.assign(program_.atoms().size(), false);
    for (AggregateId id : order) add(id, wanted[id]);
    std::vector<Demand> out;
    for (auto& [key, demand] : demands_) out.push_back(std::move(demand));
    return out;
  }

 private:
  using Key = std::tuple<std::vector<PlaceSet>, PlaceSet, PlaceSet, PlaceSet, PlaceSet, int64_t,
                         bool, double, double>;

  void want(Wanted& wanted, Place place, const Members& members) const {
    if (place.is_site()) {
      wanted.places.insert(place_of(place.site));
      return;
    }
    const std::vector<SiteId>& sites = members[place.partition.index()];
    for (SiteId site : sites) wanted.places.insert(place_of(site));
    if (sites.empty()) {
      wanted.spread = std::max(wanted.spread, program_.partition(place.partition).size);
    }
  }

  int32_t place_of(SiteId site) const {
    const int32_t place =
        site.index() < places_.place_of.size() ? places_.place_of[site.index()] : -1;
    if (place < 0) {
      throw TopologyError("site " + std::to_string(site.value) + " is not among the sites in use");
    }
    return place;
  }

  // The places that hold the atom in something of which the aggregate can be formed.
  PlaceSet holders_of(AtomId atom, AggregateId aggregate, size_t& largest) const {
    PlaceSet out;
    const auto atoms = program_.atoms(aggregate);
    for (const Given* given : given_[atom.index()]) {
      const auto part = program_.atoms(given->aggregate);
      if (!std::ranges::includes(atoms, part)) continue;
      out.insert(place_of(given->site));
      largest = std::max(largest, part.size());
    }
    return out;
  }

  void add(AggregateId id, const Wanted& wanted) {
    const auto atoms = program_.atoms(id);
    Demand demand{.example = id, .wanted = wanted.places, .spread = wanted.spread, .whole = true};
    size_t largest = 0;
    PlaceSet everywhere = places_.all();  // where every atom is
    for (AtomId atom : atoms) {
      const PlaceSet holders = holders_of(atom, id, largest);
      if (holders.empty()) {
        throw ExchangeError("OUT asks for " + aggregate_text(program_, id) +
                            ", but nothing in IN " + "of which it can be formed has " +
                            name_text(program_.atom(atom).name));
      }
      demand.sources = demand.sources | holders;
      demand.whole = demand.whole && claims_[atom.index()] == 1;
      if (claimed_[atom.index()]) continue;
      claimed_[atom.index()] = true;
      demand.holders.push_back(holders);
      everywhere = everywhere & holders;
    }
    if (demand.holders.empty()) return;
    demand.formable = everywhere;
    demand.lacking = demand.wanted.without(everywhere);
    keep_least(demand.holders);
    measure(demand, atoms, largest);
    merge(std::move(demand));
  }

  static void keep_least(std::vector<PlaceSet>& sets) {
    std::ranges::sort(sets);
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    std::vector<PlaceSet> least;
    for (const PlaceSet& set : sets) {
      const auto smaller = [&](const PlaceSet& other) { return other != set && other.within(set); };
      if (std::ranges::none_of(sets, smaller)) least.push_back(set);
    }
    sets = std::move(least);
  }

  void measure(Demand& demand, std::span<const AtomId> atoms, size_t largest) const {
    const double part = static_cast<double>(program_.atom(atoms[0]).bytes) / giga;
    const double complete = static_cast<double>(program_.bytes(demand.example)) / giga;
    demand.part_gb = part;
    demand.entry_gb = std::min(part, complete);
    if (largest == atoms.size()) {
      demand.part_gb = demand.entry_gb;
    } else if (demand.whole) {
      const size_t parts = std::max<size_t>(2, (atoms.size() + largest - 1) / largest);
      demand.formed_gb = static_cast<double>(parts) * part + complete;
    }
  }

  void merge(Demand demand) {
    // Bounds are not linear in sizes whose ratios differ.
    const double entry = demand.part_gb > 0 ? demand.entry_gb / demand.part_gb : 1;
    const double formed = demand.part_gb > 0 ? demand.formed_gb / demand.part_gb : 0;
    Key key{demand.holders, demand.sources, demand.wanted, demand.formable, demand.lacking,
            demand.spread,  demand.whole,   entry,         formed};
    const auto [known, added] = demands_.try_emplace(std::move(key), demand);
    if (added) return;
    known->second.part_gb += demand.part_gb;
    known->second.entry_gb += demand.entry_gb;
    known->second.formed_gb += demand.formed_gb;
  }

  const Program& program_;
  const Places& places_;
  std::vector<std::vector<const Given*>> given_;  // of each atom
  std::vector<int32_t> claims_;                   // how many aggregates of OUT have each atom
  std::vector<bool> claimed_;                     // atoms that count for a demand already
  std::map<Key, Demand> demands_;
};

}  // namespace

std::vector<Demand> find_demands(const Program& preamble, const Places& places,
                                 const Members& members) {
  return Finder(preamble, places).run(members);
}

}  // namespace einsummable::exchange
