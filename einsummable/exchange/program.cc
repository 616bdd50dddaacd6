// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/program.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable::exchange {
namespace {

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

uint64_t hash_atoms(std::span<const AtomId> atoms) {
  uint64_t h = atoms.size();
  for (AtomId a : atoms) {
    h = (h ^ static_cast<uint64_t>(a.value)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace

AtomId Program::add_atom(Atom atom) {
  atoms_.push_back(std::move(atom));
  singles_.push_back({});
  return AtomId(static_cast<int64_t>(atoms_.size()) - 1);
}

void Program::set_atom_size(AtomId atom, int64_t bytes, std::optional<int64_t> grain) {
  atoms_[atom.index()].bytes = bytes;
  atoms_[atom.index()].grain = grain;
}

AggregateId Program::aggregate(AtomId atom) {
  AggregateId& single = singles_[atom.index()];
  if (!single.valid()) {
    single = AggregateId(static_cast<int64_t>(aggregate_count()));
    pool_.push_back(atom);
    starts_.push_back(pool_.size());
    own_bytes_.push_back(-1);
  }
  return single;
}

AggregateId Program::aggregate(std::span<const AtomId> atoms) {
  if (atoms.empty()) throw ExchangeError("an aggregate has at least one atom");
  if (atoms.size() == 1) return aggregate(atoms[0]);
  const auto rises = [](std::span<const AtomId> ids) {
    return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
  };
  if (rises(atoms)) return intern_sorted(atoms);
  std::vector<AtomId> sorted(atoms.begin(), atoms.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw ExchangeError("atom " + name_text(atom(*twice).name) +
                        " is twice in an aggregate; each copy counts once");
  }
  return intern_sorted(sorted);
}

AggregateId Program::intern_sorted(std::span<const AtomId> atoms) {
  if (2 * (table_used_ + 1) > table_.size()) grow_table();
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash_atoms(atoms) & mask;; slot = (slot + 1) & mask) {
    const AggregateId there = table_[slot];
    if (!there.valid()) {
      table_[slot] = AggregateId(static_cast<int64_t>(aggregate_count()));
      ++table_used_;
      pool_.insert(pool_.end(), atoms.begin(), atoms.end());
      starts_.push_back(pool_.size());
      own_bytes_.push_back(-1);
      return table_[slot];
    }
    if (std::ranges::equal(this->atoms(there), atoms)) return there;
  }
}

void Program::grow_table() {
  std::vector<AggregateId> old = std::move(table_);
  table_.assign(std::max<size_t>(64, 2 * old.size()), {});
  const size_t mask = table_.size() - 1;
  for (AggregateId id : old) {
    if (!id.valid()) continue;
    size_t slot = hash_atoms(atoms(id)) & mask;
    while (table_[slot].valid()) slot = (slot + 1) & mask;
    table_[slot] = id;
  }
}

void Program::set_sites(std::vector<SiteId> sites) {
  sort_unique(sites);
  sites_ = std::move(sites);
}

void Program::set_sites(int64_t count) {
  sites_.clear();
  for (int64_t s = 0; s < count; ++s) sites_.emplace_back(s);
}

PartitionId Program::add_partition(std::string name, std::vector<SiteId> members) {
  sort_unique(members);
  const auto size = static_cast<int64_t>(members.size());
  partitions_.push_back({std::move(name), std::move(members), size});
  return PartitionId(static_cast<int64_t>(partitions_.size()) - 1);
}

PartitionId Program::add_open_partition(std::string name, int64_t size) {
  partitions_.push_back({std::move(name), {}, size});
  return PartitionId(static_cast<int64_t>(partitions_.size()) - 1);
}

const Split& Program::add_split(AtomId id, std::span<const int64_t> sizes) {
  const Atom& whole = atom(id);
  const std::string name = name_text(whole.name);
  if (whole.split >= 0) throw ExchangeError("atom " + name + " is split twice");
  if (whole.whole.valid()) throw ExchangeError(name + " is a piece; a piece is not split again");
  const int64_t grain = whole.grain.value_or(1);
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size <= 0) throw ExchangeError("a piece of " + name + " would have no bytes");
    if (size % grain != 0) {
      throw ExchangeError("a piece of " + std::to_string(size) +
                          " B is not a multiple of the grain of " + name + " (" +
                          std::to_string(grain) + " B)");
    }
    sum = checked_add(sum, size);
  }
  if (sum != whole.bytes) {
    throw ExchangeError("the pieces of " + name + " add up to " + std::to_string(sum) +
                        " B, not to its " + std::to_string(whole.bytes) + " B");
  }
  const auto count = static_cast<int32_t>(sizes.size());
  const auto cut =
      cuts_.try_emplace({sizes.begin(), sizes.end()}, static_cast<int32_t>(cuts_.size()));
  splits_.push_back({id, AtomId(static_cast<int64_t>(atoms_.size())), count, cut.first->second});
  atoms_[id.index()].split = static_cast<int32_t>(splits_.size()) - 1;
  const std::string stem = atom(id).name + '.';
  for (int32_t k = 0; k < count; ++k) {
    add_atom({.name = stem + std::to_string(k),
              .bytes = sizes[static_cast<size_t>(k)],
              .whole = id,
              .piece = k});
  }
  return splits_.back();
}

void Program::rename_atoms(std::span<const std::string> names) {
  ensure(names.size() == atoms_.size(), "every atom has a name");
  for (size_t a = 0; a < names.size(); ++a) atoms_[a].name = names[a];
}

void Program::forget_splits() {
  splits_.clear();
  for (Atom& atom : atoms_) {
    atom.whole = {};
    atom.piece = atom.split = -1;
  }
}

void Program::set_complete_bytes(AggregateId aggregate, int64_t bytes) {
  const int64_t of_atoms = atom(atoms(aggregate)[0]).bytes;
  own_bytes_[aggregate.index()] = bytes == of_atoms ? -1 : bytes;
}

void Program::add_action(Action action) {
  if (action.destinations.size() > 1) sort_unique(action.destinations);
  body_.push_back(std::move(action));
}

void Program::add_action(AggregateId aggregate, SiteId source, SiteId destination) {
  body_.push_back({aggregate, source, {Place(destination)}});
}

std::span<const AtomId> Program::atoms(AggregateId id) const {
  const size_t begin = starts_[id.index()];
  return {pool_.data() + begin, starts_[id.index() + 1] - begin};
}

int64_t Program::bytes(AggregateId id) const {
  return has_own_bytes(id) ? own_bytes_[id.index()] : atom(atoms(id)[0]).bytes;
}

const Split* Program::split(AggregateId id) const {
  const int32_t split = atom(atoms(id)[0]).split;
  return split < 0 ? nullptr : &splits_[static_cast<size_t>(split)];
}

std::optional<Members> Program::members() const {
  Members members;
  for (const Partition& g : partitions_) {
    if (g.open()) return std::nullopt;
    members.push_back(g.members);
  }
  return members;
}

namespace {

// Reads one program in the ids of another, by the names of atoms.
class Translation {
 public:
  Translation(const Program& from, const Program& to) : from_(from), to_(to) {
    std::unordered_map<std::string_view, AtomId> named;
    for (size_t a = 0; a < to.atoms().size(); ++a) {
      named.emplace(to.atoms()[a].name, AtomId(static_cast<int64_t>(a)));
    }
    for (const Atom& a : from.atoms()) {
      const auto found = named.find(a.name);
      atoms_.push_back(found == named.end() ? AtomId() : found->second);
    }
    same_.assign(from.aggregate_count(), AggregateId());
  }

  AtomId operator()(AtomId a) const { return atoms_[a.index()]; }

  // Whether the two aggregates have the same atoms, of the same sizes. Remembers one that is.
  bool same(AggregateId mine, AggregateId theirs) {
    if (same_[mine.index()].valid()) return same_[mine.index()] == theirs;
    std::vector<AtomId> atoms;
    for (AtomId a : from_.atoms(mine)) {
      const AtomId b = atoms_[a.index()];
      if (!b.valid() || !same_atom(from_.atom(a), to_.atom(b))) return false;
      atoms.push_back(b);
    }
    std::sort(atoms.begin(), atoms.end());
    if (!std::ranges::equal(atoms, to_.atoms(theirs))) return false;
    if (from_.bytes(mine) != to_.bytes(theirs)) return false;
    same_[mine.index()] = theirs;
    return true;
  }

 private:
  static bool same_atom(const Atom& a, const Atom& b) {
    return a.bytes == b.bytes && a.grain == b.grain;
  }

  const Program& from_;
  const Program& to_;
  std::vector<AtomId> atoms_;
  std::vector<AggregateId> same_;
};

}  // namespace

bool Program::operator==(const Program& other) const {
  if (sites_ != other.sites_ || partitions_ != other.partitions_) return false;
  Translation same(*this, other);
  const auto equal_splits = [&](const Split& a, const Split& b) {
    if (same(a.atom) != b.atom || a.count != b.count) return false;
    for (int32_t k = 0; k < a.count; ++k) {
      if (atom(a.piece(k)).bytes != other.atom(b.piece(k)).bytes) return false;
    }
    return true;
  };
  return std::ranges::equal(splits_, other.splits_, equal_splits) &&
         std::ranges::equal(given_, other.given_,
                            [&](const Given& a, const Given& b) {
                              return a.site == b.site && same.same(a.aggregate, b.aggregate);
                            }) &&
         std::ranges::equal(required_, other.required_,
                            [&](const Requirement& a, const Requirement& b) {
                              return a.place == b.place && same.same(a.aggregate, b.aggregate);
                            }) &&
         std::ranges::equal(body_, other.body_, [&](const Action& a, const Action& b) {
           return a.source == b.source && a.destinations == b.destinations &&
                  same.same(a.aggregate, b.aggregate);
         });
}

std::vector<int64_t> equal_pieces(const Atom& atom, int64_t count) {
  const int64_t grain = atom.grain.value_or(1);
  const int64_t grains = atom.bytes / grain;
  if (count <= 0 || grains < count) {
    throw ExchangeError("atom " + name_text(atom.name) + " has " + std::to_string(grains) +
                        " grains of " + std::to_string(grain) + " B, too few for " +
                        std::to_string(count) + " pieces");
  }
  std::vector<int64_t> sizes(static_cast<size_t>(count), grains / count * grain);
  for (int64_t k = 0; k < grains % count; ++k) sizes[static_cast<size_t>(k)] += grain;
  return sizes;
}

std::string name_text(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; };
  const bool plain = !name.empty() && letter(name[0]) && std::ranges::all_of(name, inner);
  return plain ? std::string(name) : quote(name);
}

std::string aggregate_text(const Program& program, AggregateId aggregate) {
  std::vector<std::string_view> names;
  for (AtomId a : program.atoms(aggregate)) names.push_back(program.atom(a).name);
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += '+';
    text += name_text(name);
  }
  return text;
}

std::string place_text(const Program& program, Place place) {
  return place.is_site() ? std::to_string(place.site.value)
                         : name_text(program.partition(place.partition).name);
}

}  // namespace einsummable::exchange
