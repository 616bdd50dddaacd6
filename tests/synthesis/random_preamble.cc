// SPDX-License-Identifier: Apache-2.0
#include "tests/synthesis/random_preamble.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace einsummable::exchange {
namespace {

using Random = std::mt19937_64;
using Atoms = std::vector<AtomId>;  // sorted

int64_t number(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}
bool one_in(Random& random, int64_t n) { return number(random, 1, n) == 1; }

Atoms some_of(const Atoms& atoms, Random& random) {
  Atoms out = atoms;
  std::ranges::shuffle(out, random);
  out.resize(static_cast<size_t>(number(random, 1, std::ssize(out))));
  std::ranges::sort(out);
  return out;
}

int64_t random_bytes(Random& random) {
  int64_t bytes = number(random, 1, 9);
  for (int64_t zeros = number(random, 0, 9); zeros > 0; --zeros) bytes *= 10;
  return bytes;
}

void add_groups(RandomPreamble& out, int64_t sites, Random& random) {
  std::vector<SiteId> order;
  for (int64_t site = 0; site < sites; ++site) order.emplace_back(site);
  std::ranges::shuffle(order, random);
  const auto cut = order.begin() + number(random, 1, sites - 1);
  const bool open = one_in(random, 2);
  for (auto [first, last] : {std::pair(order.begin(), cut), std::pair(cut, order.end())}) {
    std::vector<SiteId> members(first, last);
    std::ranges::sort(members);
    const std::string name = out.members.empty() ? "P" : "Q";
    if (open) {
      out.program.add_open_partition(name, std::ssize(members));
    } else {
      out.program.add_partition(name, members);
    }
    out.members.push_back(std::move(members));
  }
}

Atoms add_family(RandomPreamble& out, const std::string& name, int64_t sites, Random& random) {
  Atoms atoms;
  const int64_t bytes = random_bytes(random);
  for (int64_t count = number(random, 1, 4); count > 0; --count) {
    atoms.push_back(out.program.add_atom({.name = name + std::to_string(count), .bytes = bytes}));
  }
  for (AtomId atom : atoms) {
    for (int64_t copies = one_in(random, 3) ? 2 : 1; copies > 0; --copies) {
      out.program.give(out.program.aggregate(atom), SiteId(number(random, 0, sites - 1)));
    }
  }
  if (one_in(random, 4)) {
    out.program.give(out.program.aggregate(some_of(atoms, random)),
                     SiteId(number(random, 0, sites - 1)));
  }
  return atoms;
}

}  // namespace

RandomPreamble random_preamble(int64_t sites, Random& random) {
  RandomPreamble out;
  out.program.set_sites(sites);
  if (sites > 1 && one_in(random, 3)) add_groups(out, sites, random);
  for (const char* name : {"A", "B", "C"}) {
    const Atoms atoms = add_family(out, name, sites, random);
    AggregateId wanted;
    const int64_t entries = number(random, 1, 4);
    for (int64_t entry = 0; entry < entries; ++entry) {
      if (entry == 0 || one_in(random, 3)) wanted = out.program.aggregate(some_of(atoms, random));
      Place place = SiteId(number(random, 0, sites - 1));
      if (!out.members.empty() && one_in(random, 2)) place = PartitionId(number(random, 0, 1));
      out.program.require(wanted, place);
    }
    // The size of what is complete may be its own where nothing else is wanted of these atoms.
    const auto& required = out.program.required();
    const bool alone = std::all_of(required.end() - entries, required.end(),
                                   [&](const Requirement& r) { return r.aggregate == wanted; });
    const bool formed = out.program.atoms(wanted).size() > 1;
    if (alone && formed && one_in(random, 3)) {
      out.program.set_complete_bytes(wanted, random_bytes(random));
    }
    if (one_in(random, 2)) break;
  }
  return out;
}

namespace {

// Brings one piece of what is wanted to where it is wanted.
class Body {
 public:
  Body(Program& program, const Topology& topology, Random& random)
      : program_(program), topology_(topology), random_(random) {
    for (const Given& given : program.given()) {
      const auto atoms = program.atoms(given.aggregate);
      given_.push_back({Atoms(atoms.begin(), atoms.end()), given.site});
    }
  }

  // -1: of atoms that are not split.
  void set_piece(int32_t piece) {
    piece_ = piece;
    there_.clear();
    for (const auto& entry : given_) there_.insert(entry);
  }

  bool bring(const Atoms& atoms, SiteId site, int depth) {
    if (there_.contains({atoms, site})) return true;
    if (depth > 0 && one_in(random_, 3) && relay(atoms, site, depth)) return true;
    if (one_in(random_, 2) && fetch(atoms, site)) return true;
    if (depth > 0 && one_in(random_, 2) && form_of_halves(atoms, site, depth)) return true;
    return fetch(atoms, site) || form_of_given(atoms, site, depth);
  }

 private:
  bool relay(const Atoms& atoms, SiteId site, int depth) {
    const SiteId via(number(random_, 0, topology_.sites() - 1));
    if (topology_.route(via.value, site.value) == nullptr) return false;
    if (!bring(atoms, via, depth - 1)) return false;
    send(atoms, via, site);
    return true;
  }

  // From a random site that has it, by the fewest hops or by more.
  bool fetch(const Atoms& atoms, SiteId site) {
    std::vector<SiteId> from;
    for (const auto& [what, where] : there_) {
      if (what == atoms) from.push_back(where);
    }
    std::ranges::shuffle(from, random_);
    for (SiteId holder : from) {
      if (walk(atoms, holder, site)) return true;
    }
    return false;
  }

  bool walk(const Atoms& atoms, SiteId from, SiteId to) {
    std::vector<SiteId> before(static_cast<size_t>(topology_.sites()));
    std::vector<SiteId> open = {from};
    before[from.index()] = from;
    for (size_t i = 0; i < open.size() && !before[to.index()].valid(); ++i) {
      std::vector<SiteId> next;
      for (int64_t site = 0; site < topology_.sites(); ++site) {
        if (topology_.route(open[i].value, site) != nullptr) next.emplace_back(site);
      }
      std::ranges::shuffle(next, random_);
      for (SiteId site : next) {
        if (before[site.index()].valid()) continue;
        before[site.index()] = open[i];
        open.push_back(site);
      }
    }
    if (!before[to.index()].valid()) return false;
    std::vector<SiteId> way = {to};
    while (way.back() != from) way.push_back(before[way.back().index()]);
    for (size_t i = way.size() - 1; i > 0; --i) send(atoms, way[i], way[i - 1]);
    return true;
  }

  bool form_of_halves(const Atoms& atoms, SiteId site, int depth) {
    if (atoms.size() < 2) return false;
    const Atoms first = some_of(atoms, random_);
    return form(first, atoms, site, depth - 1);
  }

  bool form_of_given(const Atoms& atoms, SiteId site, int depth) {
    std::vector<Atoms> parts;
    for (const auto& [part, where] : given_) {
      if (part.size() < atoms.size() && std::ranges::includes(atoms, part)) parts.push_back(part);
    }
    std::ranges::shuffle(parts, random_);
    for (const Atoms& part : parts) {
      if (form(part, atoms, site, std::max(0, depth - 1))) return true;
    }
    return false;
  }

  // Of a part and the rest.
  bool form(const Atoms& part, const Atoms& atoms, SiteId site, int depth) {
    Atoms rest;
    std::ranges::set_difference(atoms, part, std::back_inserter(rest));
    if (rest.empty() || !bring(part, site, depth) || !bring(rest, site, depth)) return false;
    there_.insert({atoms, site});
    program_.add_action({aggregate(atoms), site, {}});
    return true;
  }

  void send(const Atoms& atoms, SiteId from, SiteId to) {
    there_.insert({atoms, to});
    program_.add_action(aggregate(atoms), from, to);
  }

  AggregateId aggregate(const Atoms& atoms) {
    if (piece_ < 0) return program_.aggregate(atoms);
    Atoms pieces;
    for (AtomId atom : atoms) {
      const int32_t split = program_.atom(atom).split;
      pieces.push_back(program_.splits()[static_cast<size_t>(split)].piece(piece_));
    }
    return program_.aggregate(pieces);
  }

  Program& program_;
  const Topology& topology_;
  Random& random_;
  std::vector<std::pair<Atoms, SiteId>> given_;
  std::set<std::pair<Atoms, SiteId>> there_;
  int32_t piece_ = -1;
};

// Cuts the atoms of each family alike; families go by the first letter of their names.
void cut(Program& program, Random& random) {
  std::map<char, std::vector<int64_t>> sizes;
  const size_t count = program.atoms().size();
  for (size_t i = 0; i < count; ++i) {
    const AtomId atom(static_cast<int64_t>(i));
    const auto [known, added] = sizes.try_emplace(program.atom(atom).name[0]);
    if (added) {
      const int64_t most = std::min<int64_t>(program.atom(atom).bytes, 4);
      if (most > 1 && one_in(random, 2)) {
        known->second = equal_pieces(program.atom(atom), number(random, 2, most));
      }
    }
    if (!known->second.empty()) program.add_split(atom, known->second);
  }
}

}  // namespace

std::optional<Program> random_body(const RandomPreamble& preamble, const Topology& topology,
                                   Random& random) {
  Program program = preamble.program;
  cut(program, random);
  Body body(program, topology, random);
  const std::vector<Requirement> required = program.required();
  for (const auto& [aggregate, place] : required) {
    const auto span = program.atoms(aggregate);
    const Atoms atoms(span.begin(), span.end());
    const Split* split = program.split(aggregate);
    const int32_t pieces = split == nullptr ? 0 : split->count;
    const std::vector<SiteId> sites = place.is_site() ? std::vector<SiteId>{place.site}
                                                      : preamble.members[place.partition.index()];
    for (SiteId site : sites) {
      for (int32_t piece = pieces == 0 ? -1 : 0; piece < pieces; ++piece) {
        body.set_piece(piece);
        if (!body.bring(atoms, site, static_cast<int>(number(random, 0, 3)))) return std::nullopt;
        if (piece < 0) break;
      }
    }
  }
  if (one_in(random, 2)) {
    std::vector<Action> actions = program.body();
    std::ranges::shuffle(actions, random);
    program.set_body(std::move(actions));
  }
  return program;
}

}  // namespace einsummable::exchange
