// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/well_formed.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "einsummable/exchange/size.h"

namespace einsummable::exchange {
namespace {

// Comparing aggregates with their own sizes against larger ones stops here.
constexpr int64_t containment_budget = 50'000'000;

int32_t cut_of(const Program& program, const Atom& atom) {
  return atom.split < 0 ? -1 : program.splits()[static_cast<size_t>(atom.split)].cut;
}

// Why two atoms cannot be aggregated; empty if they can.
std::string unlike(const Program& program, const Atom& a, const Atom& b) {
  const std::string both = name_text(a.name) + " and " + name_text(b.name);
  if (a.piece >= 0 && b.piece >= 0) {
    if (a.piece != b.piece) {
      return both + " are pieces of different numbers; pieces meet at equal numbers";
    }
    if (cut_of(program, program.atom(a.whole)) != cut_of(program, program.atom(b.whole))) {
      return both + " are pieces of atoms that are cut differently";
    }
    return {};
  }
  if (a.bytes != b.bytes) {
    return both + " have different sizes (" + size_text(a.bytes) + ", " + size_text(b.bytes) +
           "); the atoms of an aggregate have one size";
  }
  if (cut_of(program, a) != cut_of(program, b) || a.piece != b.piece) {
    return both + " are cut differently; the atoms of an aggregate are split alike";
  }
  return {};
}

bool same_kind(const Program& program, const Atom& a, const Atom& b) {
  if (a.piece != b.piece) return false;
  if (a.piece < 0) return a.bytes == b.bytes && cut_of(program, a) == cut_of(program, b);
  return cut_of(program, program.atom(a.whole)) == cut_of(program, program.atom(b.whole));
}

}  // namespace

std::optional<Fault> unlike_atoms(const Program& program, AggregateId aggregate) {
  const auto atoms = program.atoms(aggregate);
  const Atom& first = program.atom(atoms[0]);
  for (AtomId other : atoms.subspan(1)) {
    const Atom& atom = program.atom(other);
    if (!same_kind(program, first, atom)) return Fault{unlike(program, first, atom), aggregate, {}};
  }
  return std::nullopt;
}

std::optional<Fault> ill_formed_atoms(const Program& program) {
  for (const Atom& atom : program.atoms()) {
    const int64_t grain = atom.grain.value_or(1);
    if (atom.bytes < 0)
      return Fault{"atom " + name_text(atom.name) + " has a negative size", {}, {}};
    if (grain <= 0)
      return Fault{"atom " + name_text(atom.name) + " has a grain of no bytes", {}, {}};
    if (atom.bytes % grain != 0) {
      return Fault{"the size of atom " + name_text(atom.name) + " (" + size_text(atom.bytes) +
                       ") is not a multiple of its grain (" + size_text(grain) + ")",
                   {},
                   {}};
    }
  }
  return std::nullopt;
}

std::optional<Fault> ill_formed_partitions(const Program& program) {
  if (program.partitions().empty()) return std::nullopt;
  std::unordered_map<int32_t, const Partition*> owners;
  std::unordered_set<std::string_view> names;
  int64_t total = 0;
  for (size_t i = 0; i < program.partitions().size(); ++i) {
    const Partition& partition = program.partitions()[i];
    const PartitionId id(static_cast<int64_t>(i));
    const std::string name = name_text(partition.name);
    if (!names.insert(partition.name).second)
      return Fault{"partition " + name + " is there twice", {}, id};
    if (partition.size <= 0) return Fault{"partition " + name + " has no sites", {}, id};
    total += partition.size;
    for (SiteId site : partition.members) {
      const std::string number = std::to_string(site.value);
      if (!std::ranges::binary_search(program.sites(), site)) {
        return Fault{
            "partition " + name + " holds site " + number + ", which GPUS does not declare",
            {},
            id};
      }
      const auto [owner, fresh] = owners.try_emplace(site.value, &partition);
      if (!fresh) {
        return Fault{"partitions " + name_text(owner->second->name) + " and " + name +
                         " overlap: both hold site " + number,
                     {},
                     id};
      }
    }
  }
  const auto count = static_cast<int64_t>(program.sites().size());
  if (total == count) return std::nullopt;
  return Fault{"the partitions hold " + std::to_string(total) + " sites, but there are " +
                   std::to_string(count) + "; partitions cover the sites",
               {},
               PartitionId(0)};
}

std::optional<Fault> nested_complete(const Program& program) {
  std::vector<AggregateId> required;
  for (const Requirement& r : program.required()) required.push_back(r.aggregate);
  std::sort(required.begin(), required.end());
  required.erase(std::unique(required.begin(), required.end()), required.end());
  if (std::ranges::none_of(required, [&](AggregateId x) { return program.has_own_bytes(x); })) {
    return std::nullopt;
  }
  std::vector<std::vector<AggregateId>> holders(program.atoms().size());
  for (AggregateId x : required) {
    for (AtomId a : program.atoms(x)) holders[a.index()].push_back(x);
  }
  int64_t work = 0;
  for (AggregateId x : required) {
    if (!program.has_own_bytes(x)) continue;
    const auto atoms = program.atoms(x);
    const AtomId rarest =
        *std::ranges::min_element(atoms, {}, [&](AtomId a) { return holders[a.index()].size(); });
    for (AggregateId y : holders[rarest.index()]) {
      ++work;
      const auto larger = program.atoms(y);
      if (larger.size() <= atoms.size()) continue;
      work += static_cast<int64_t>(larger.size());
      if (work > containment_budget)
        return Fault{"too many OUT aggregates with sizes of their own overlap", x, {}};
      if (std::ranges::includes(larger, atoms)) {
        return Fault{aggregate_text(program, x) + " has its own OUT size and lies inside " +
                         aggregate_text(program, y) +
                         "; a complete result is not aggregated further",
                     x,
                     {}};
      }
    }
  }
  return std::nullopt;
}

std::optional<Fault> undeclared_places(const Program& program) {
  const int32_t end = program.sites().empty() ? 0 : program.sites().back().value + 1;
  std::vector<bool> declared(static_cast<size_t>(end), false);
  for (SiteId s : program.sites()) declared[s.index()] = true;
  std::optional<Fault> fault;
  const auto visit = [&](AggregateId x, Place place) {
    const bool known = place.is_site() ? place.site.value < end && declared[place.site.index()]
                                       : place.partition.index() < program.partitions().size();
    if (known || fault) return;
    fault = Fault{
        aggregate_text(program, x) + " is at a site or partition that is not declared", x, {}};
  };
  for (const Given& g : program.given()) visit(g.aggregate, g.site);
  for (const Requirement& r : program.required()) visit(r.aggregate, r.place);
  for (const Action& a : program.body()) {
    visit(a.aggregate, a.source);
    for (Place d : a.destinations) visit(a.aggregate, d);
    if (!a.destinations.empty() && !a.source.is_site() && !fault) {
      fault = Fault{"an action that sends has one site as its source", a.aggregate, {}};
    }
  }
  return fault;
}

std::optional<Fault> ill_formed(const Program& program) {
  std::unordered_set<std::string_view> names;
  for (const Atom& atom : program.atoms()) {
    if (!names.insert(atom.name).second) {
      return Fault{"the name " + name_text(atom.name) + " is taken twice", {}, {}};
    }
  }
  if (auto fault = ill_formed_atoms(program)) return fault;
  if (auto fault = ill_formed_partitions(program)) return fault;
  if (auto fault = undeclared_places(program)) return fault;
  for (size_t i = 0; i < program.aggregate_count(); ++i) {
    if (auto fault = unlike_atoms(program, AggregateId(static_cast<int64_t>(i)))) return fault;
  }
  return nested_complete(program);
}

}  // namespace einsummable::exchange
