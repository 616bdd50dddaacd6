// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/base/id.h"

// Exchange programs (section 5.2 of the paper): which aggregates of atoms are where (IN), which
// must be where (OUT), and a set of actions that aggregate and send.
namespace einsummable::exchange {

struct SiteTag {};
struct AtomTag {};
struct AggregateTag {};
struct PartitionTag {};

// A place in a plan. Its value is the number a program's text gives it, 0 to 65,535.
using SiteId = Id<SiteTag>;
using AtomId = Id<AtomTag>;
using AggregateId = Id<AggregateTag>;
using PartitionId = Id<PartitionTag>;

inline constexpr int64_t default_atom_bytes = 1'000'000'000;
inline constexpr int64_t site_number_limit = 65'536;

// One copy of the smallest data a program moves or aggregates. Its pieces, if SPLIT cuts it, are
// atoms of their own ("A.0", "A.1", ...), which only the body may name.
struct Atom {
  std::string name;
  int64_t bytes = default_atom_bytes;
  std::optional<int64_t> grain = {};  // pieces are multiples of it; 1 byte if not given
  AtomId whole = {};                  // of a piece: the atom it is cut from
  int32_t piece = -1;                 // of a piece: its number
  int32_t split = -1;                 // of a split atom: its place in Program::splits()
};

// An atom and its pieces, which are the atoms first, first + 1, ..., first + count - 1.
struct Split {
  AtomId atom;
  AtomId first;
  int32_t count = 0;
  int32_t cut = 0;  // equal for atoms whose pieces have the same sizes

  AtomId piece(int32_t number) const { return AtomId(first.value + number); }
};

// A named group of sites. Without members its size alone is given, and a program is valid if some
// choice of members makes it so.
struct Partition {
  std::string name;
  std::vector<SiteId> members;  // sorted; empty if open
  int64_t size = 0;

  bool open() const { return members.empty(); }
  bool operator==(const Partition&) const = default;
};

// A site, or every site of a partition: exactly one of the two is valid.
struct Place {
  SiteId site;
  PartitionId partition;

  Place() = default;
  Place(SiteId s) : site(s) {}            // NOLINT: a site is a place
  Place(PartitionId g) : partition(g) {}  // NOLINT: so is a partition
  bool is_site() const { return site.valid(); }
  auto operator<=>(const Place&) const = default;
};

// An entry of IN: the aggregate is at the site from the start.
struct Given {
  AggregateId aggregate;
  SiteId site;
};

// An entry of OUT: the aggregate must come to be at the place.
struct Requirement {
  AggregateId aggregate;
  Place place;
};

// An entry of the body: aggregate at the source, then send to every destination. Without a
// destination it aggregates only, at each site of the source. With one, the source is a site.
// A list of sources in the text (`C @ 0, 1`) is one action each, a relay (`A @ 0 -> 4 -> 5`) two.
struct Action {
  AggregateId aggregate;
  Place source;
  std::vector<Place> destinations;  // sorted, each once

  bool operator==(const Action&) const = default;
};

// The members of each partition of a program, by PartitionId.
using Members = std::vector<std::vector<SiteId>>;

// An exchange program: a plain value. Aggregates are interned, so that equal sets of atoms have one
// id. The functions that add check only what costs nothing; ill_formed() checks the rest.
class Program {
 public:
  // Appends an atom. Names must differ, which ill_formed() checks.
  AtomId add_atom(Atom atom);
  // Restates the size and grain of an atom that is not split.
  void set_atom_size(AtomId atom, int64_t bytes, std::optional<int64_t> grain);
  // Names every atom, pieces included.
  void rename_atoms(std::span<const std::string> names);
  // The aggregate of these atoms, in any order. Throws ExchangeError if one occurs twice, or if
  // there is none.
  AggregateId aggregate(std::span<const AtomId> atoms);
  AggregateId aggregate(AtomId atom);
  // Declares the sites, in any order.
  void set_sites(std::vector<SiteId> sites);
  // Declares sites 0 to count - 1.
  void set_sites(int64_t count);
  PartitionId add_partition(std::string name, std::vector<SiteId> members);
  PartitionId add_open_partition(std::string name, int64_t size);
  // Cuts an atom into pieces of these sizes. Throws ExchangeError if they do not add up to its
  // size, or are not positive multiples of its grain, or if it is cut already.
  const Split& add_split(AtomId atom, std::span<const int64_t> sizes);
  void give(AggregateId aggregate, SiteId site) { given_.push_back({aggregate, site}); }
  void require(AggregateId aggregate, Place place) { required_.push_back({aggregate, place}); }
  // The size of a complete aggregate, where it is not that of its atoms (float32 partials, float16
  // result).
  void set_complete_bytes(AggregateId aggregate, int64_t bytes);
  // Appends an action; sorts its destinations and drops repetitions.
  void add_action(Action action);
  void add_action(AggregateId aggregate, SiteId source, SiteId destination);
  void drop_last_action() { body_.pop_back(); }
  void set_entries(std::vector<Given> given, std::vector<Requirement> required) {
    given_ = std::move(given);
    required_ = std::move(required);
  }
  // Makes pieces atoms like any other.
  void forget_splits();
  void set_body(std::vector<Action> body) { body_ = std::move(body); }

  const std::vector<SiteId>& sites() const { return sites_; }  // sorted
  const std::vector<Partition>& partitions() const { return partitions_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  const std::vector<Split>& splits() const { return splits_; }
  const std::vector<Given>& given() const { return given_; }
  const std::vector<Requirement>& required() const { return required_; }
  const std::vector<Action>& body() const { return body_; }

  const Atom& atom(AtomId id) const { return atoms_[id.index()]; }
  const Partition& partition(PartitionId id) const { return partitions_[id.index()]; }
  size_t aggregate_count() const { return starts_.size() - 1; }
  // The atoms of an aggregate, sorted by id.
  std::span<const AtomId> atoms(AggregateId id) const;
  // The size of an aggregate where it lies: its own if OUT gives one, else that of its atoms.
  int64_t bytes(AggregateId id) const;
  bool has_own_bytes(AggregateId id) const { return own_bytes_[id.index()] >= 0; }
  // How the atoms of an aggregate are cut: null if they are whole. The atoms are cut alike.
  const Split* split(AggregateId id) const;
  // The members of each partition, if every partition has them.
  std::optional<Members> members() const;

  // Same sites, partitions, splits, entries and actions, atoms and aggregates compared by their
  // names. Atoms that nothing names do not count.
  bool operator==(const Program& other) const;

 private:
  AggregateId intern_sorted(std::span<const AtomId> atoms);
  void grow_table();

  std::vector<SiteId> sites_;
  std::vector<Partition> partitions_;
  std::vector<Atom> atoms_;
  std::vector<Split> splits_;
  std::map<std::vector<int64_t>, int32_t> cuts_;
  std::vector<Given> given_;
  std::vector<Requirement> required_;
  std::vector<Action> body_;

  std::vector<AtomId> pool_;          // the atoms of all aggregates
  std::vector<size_t> starts_ = {0};  // of each aggregate in the pool, and the end
  std::vector<int64_t> own_bytes_;    // of each aggregate, -1 if it has none
  std::vector<AggregateId> singles_;  // the aggregate of each atom alone, if there
  std::vector<AggregateId> table_;    // open addressing over the aggregates of two atoms or more
  size_t table_used_ = 0;
};

// The sizes of `count` pieces of an atom that differ by at most one grain, the larger ones first:
// 10 B in 3 pieces are 4, 3, 3. Throws ExchangeError if the atom has fewer grains than that.
std::vector<int64_t> equal_pieces(const Atom& atom, int64_t count);

// "A+B": the atoms' names in order of their bytes, quoted where they are not identifiers.
std::string aggregate_text(const Program& program, AggregateId aggregate);
// The name as it stands in a program: quoted if it is not an identifier.
std::string name_text(std::string_view name);
// The site's number or the partition's name.
std::string place_text(const Program& program, Place place);

}  // namespace einsummable::exchange
