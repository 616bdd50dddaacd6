// SPDX-License-Identifier: Apache-2.0
#include "tests/exchange/brute_force.h"

#include <algorithm>
#include <functional>

namespace einsummable::exchange {
namespace {

std::vector<int32_t> sites_of(Place place, const Members& members) {
  if (place.is_site()) return {place.site.value};
  std::vector<int32_t> sites;
  for (SiteId s : members[place.partition.index()]) sites.push_back(s.value);
  return sites;
}

}  // namespace

Mask mask_of(const Program& program, AggregateId aggregate) {
  Mask mask = 0;
  for (AtomId a : program.atoms(aggregate)) mask |= Mask{1} << a.value;
  return mask;
}

bool partitions(const std::vector<Mask>& there, Mask whole) {
  if (whole == 0) return true;
  const Mask lowest = whole & (~whole + 1);
  return std::ranges::any_of(there, [&](Mask part) {
    return (part & lowest) != 0 && (part & ~whole) == 0 && partitions(there, whole & ~part);
  });
}

std::vector<Mask> at_site(const State& state, int32_t site) {
  std::vector<Mask> there;
  for (const auto& [mask, s] : state) {
    if (s == site) there.push_back(mask);
  }
  return there;
}

State brute_force_closure(const Program& program, const Members& members) {
  State state;
  for (const Given& g : program.given()) state.emplace(mask_of(program, g.aggregate), g.site.value);
  for (size_t before = state.size() + 1; before != state.size();) {
    before = state.size();
    for (const Action& action : program.body()) {
      const Mask whole = mask_of(program, action.aggregate);
      for (int32_t s : sites_of(action.source, members)) {
        if (!partitions(at_site(state, s), whole)) continue;
        state.emplace(whole, s);
        for (Place d : action.destinations) {
          for (int32_t t : sites_of(d, members)) state.emplace(whole, t);
        }
      }
    }
  }
  return state;
}

bool brute_force_valid(const Program& program, const Members& members) {
  const State state = brute_force_closure(program, members);
  const auto everywhere = [&](AggregateId aggregate, Place place) {
    return std::ranges::all_of(sites_of(place, members), [&](int32_t s) {
      return state.contains({mask_of(program, aggregate), s});
    });
  };
  return std::ranges::all_of(program.body(),
                             [&](const Action& a) { return everywhere(a.aggregate, a.source); }) &&
         std::ranges::all_of(program.required(), [&](const Requirement& r) {
           return everywhere(r.aggregate, r.place);
         });
}

Program random_program(const RandomProgram& shape, std::mt19937_64& random) {
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  Program program;
  program.set_sites(shape.sites);
  std::vector<AtomId> atoms;
  for (int a = 0; a < shape.atoms; ++a) {
    atoms.push_back(program.add_atom({.name = std::string(1, static_cast<char>('A' + a))}));
    program.give(program.aggregate(atoms.back()), SiteId(below(shape.sites)));
  }
  std::vector<SiteId> sites = program.sites();
  std::shuffle(sites.begin(), sites.end(), random);
  size_t taken = 0;
  for (int g = 0; g < shape.partitions; ++g) {
    const size_t left = sites.size() - taken - static_cast<size_t>(shape.partitions - g - 1);
    const size_t size = g + 1 == shape.partitions
                            ? left
                            : 1 + static_cast<size_t>(below(static_cast<int64_t>(left)));
    const auto begin = sites.begin() + static_cast<int64_t>(taken);
    const std::string name = "G" + std::to_string(g);
    if (shape.open) {
      program.add_open_partition(name, static_cast<int64_t>(size));
    } else {
      program.add_partition(name, {begin, begin + static_cast<int64_t>(size)});
    }
    taken += size;
  }
  const auto aggregate = [&] {
    std::vector<AtomId> some = atoms;
    std::shuffle(some.begin(), some.end(), random);
    some.resize(static_cast<size_t>(1 + std::min(below(shape.atoms), below(shape.atoms))));
    return program.aggregate(some);
  };
  const auto place = [&]() -> Place {
    if (shape.partitions > 0 && below(3) == 0) return PartitionId(below(shape.partitions));
    return SiteId(below(shape.sites));
  };
  if (below(2) == 0) program.give(aggregate(), SiteId(below(shape.sites)));
  for (int64_t k = below(shape.actions + 1); k > 0; --k) {
    const bool sends = below(3) != 0;
    Action action{aggregate(), sends ? Place(SiteId(below(shape.sites))) : place(), {}};
    for (int64_t d = sends ? 1 + below(3) : 0; d > 0; --d) action.destinations.push_back(place());
    program.add_action(action);
  }
  for (int64_t k = below(3); k > 0; --k) program.require(aggregate(), place());
  return program;
}

Program valid_program(std::mt19937_64& random) {
  Program program =
      random_program({.atoms = 5, .sites = 4, .actions = 60, .partitions = 2}, random);
  const Members members = *program.members();
  const State state = brute_force_closure(program, members);
  const auto there = [&](AggregateId aggregate, Place place) {
    if (place.is_site()) return state.contains({mask_of(program, aggregate), place.site.value});
    return std::ranges::all_of(members[place.partition.index()], [&](SiteId s) {
      return state.contains({mask_of(program, aggregate), s.value});
    });
  };
  std::vector<Action> body;
  std::vector<Requirement> required;
  for (const Action& a : program.body()) {
    if (!there(a.aggregate, a.source)) continue;
    body.push_back(a);
    if (random() % 4 == 0) required.push_back({a.aggregate, a.source});
    if (!a.destinations.empty() && random() % 4 == 0)
      required.push_back({a.aggregate, a.destinations[0]});
  }
  program.set_body(body);
  program.set_entries(program.given(), required);
  return program;
}

Program in_pieces(Program program, std::mt19937_64& random) {
  const size_t atom_count = program.atoms().size();
  for (size_t a = 0; a < atom_count; ++a) {
    const AtomId id(static_cast<int64_t>(a));
    program.add_split(id, equal_pieces(program.atom(id), 2));
  }
  std::vector<Action> body;
  for (const Action& action : program.body()) {
    if (random() % 2 == 0) {
      body.push_back(action);
      continue;
    }
    const auto atoms = program.atoms(action.aggregate);
    const std::vector<AtomId> whole(atoms.begin(), atoms.end());
    for (int32_t k = 0; k < 2; ++k) {
      std::vector<AtomId> pieces;
      for (AtomId a : whole) pieces.push_back(program.splits()[a.index()].piece(k));
      body.push_back({program.aggregate(pieces), action.source, action.destinations});
    }
  }
  program.set_body(body);
  return program;
}

std::string derivation_fault(const Program& program, const Verdict& verdict, const State& closure) {
  State made;
  std::map<Mask, std::vector<AggregateId>> parts_of;
  for (const Derivation& d : verdict.derivations) {
    const Mask whole = mask_of(program, d.aggregate);
    const std::string what =
        aggregate_text(program, d.aggregate) + " @ " + std::to_string(d.site.value);
    if (made.contains({whole, d.site.value})) return what + " is derived twice";
    if (d.kind == Derivation::Kind::given) {
      if (std::ranges::none_of(program.given(), [&](const Given& g) {
            return g.aggregate == d.aggregate && g.site == d.site;
          })) {
        return what + " is not given";
      }
    } else {
      const SiteId source = d.kind == Derivation::Kind::received ? d.source : d.site;
      const bool acted = std::ranges::any_of(program.body(), [&](const Action& a) {
        const auto at = [&](Place p, SiteId s) {
          const auto sites = sites_of(p, verdict.members);
          return std::ranges::count(sites, s.value) > 0;
        };
        return a.aggregate == d.aggregate && at(a.source, source) &&
               (source == d.site ||
                std::ranges::any_of(a.destinations, [&](Place p) { return at(p, d.site); }));
      });
      if (!acted) return what + " is derived, but not by an action";
    }
    if (d.kind == Derivation::Kind::received && !made.contains({whole, d.source.value})) {
      return what + " is received before it is at its source";
    }
    if (d.kind == Derivation::Kind::aggregated) {
      Mask covered = 0;
      for (AggregateId part : verdict.parts_of(d)) {
        const Mask mask = mask_of(program, part);
        if ((covered & mask) != 0) return what + " has parts that overlap";
        if (!made.contains({mask, d.site.value})) return what + " has a part that is not there yet";
        covered |= mask;
      }
      if (covered != whole) return what + " is not covered by its parts";
      const auto parts = verdict.parts_of(d);
      const std::vector<AggregateId> now(parts.begin(), parts.end());
      const auto [old, fresh] = parts_of.try_emplace(whole, now);
      if (verdict.uniform && old->second != now) return what + " has other parts than elsewhere";
    }
    made.emplace(whole, d.site.value);
  }
  return made == closure ? "" : "the derivations are not the closure";
}

}  // namespace einsummable::exchange
