// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/expand.h"

#include <unordered_map>

namespace einsummable::exchange {
namespace {

__extension__ using Wide = __int128;

int64_t share(int64_t bytes, int64_t size, int64_t of) {
  return static_cast<int64_t>(static_cast<Wide>(bytes) * size / of);
}

class Expansion {
 public:
  explicit Expansion(const Program& program) : from_(program), to_(program) {}

  Program run() {
    std::vector<Given> given;
    for (const Given& g : from_.given()) {
      for (AggregateId piece : pieces(g.aggregate)) given.push_back({piece, g.site});
    }
    std::vector<Requirement> required;
    for (const Requirement& r : from_.required()) {
      for (AggregateId piece : pieces(r.aggregate)) required.push_back({piece, r.place});
    }
    std::vector<Action> body;
    for (const Action& a : from_.body()) {
      for (AggregateId piece : pieces(a.aggregate))
        body.push_back({piece, a.source, a.destinations});
    }
    to_.set_entries(std::move(given), std::move(required));
    to_.set_body(std::move(body));
    to_.forget_splits();
    return std::move(to_);
  }

 private:
  // The aggregates of the pieces of an aggregate's atoms; itself if they are whole.
  const std::vector<AggregateId>& pieces(AggregateId aggregate) {
    const auto [at, fresh] = pieces_.try_emplace(aggregate.value);
    if (!fresh) return at->second;
    const Split* split = from_.split(aggregate);
    if (split == nullptr) {
      at->second.push_back(aggregate);
      return at->second;
    }
    const int64_t size = from_.atom(split->atom).bytes;
    int64_t begin = 0;
    for (int32_t k = 0; k < split->count; ++k) {
      std::vector<AtomId> atoms;
      for (AtomId a : from_.atoms(aggregate)) {
        atoms.push_back(from_.splits()[static_cast<size_t>(from_.atom(a).split)].piece(k));
      }
      const AggregateId piece = to_.aggregate(atoms);
      const int64_t end = begin + from_.atom(split->piece(k)).bytes;
      if (from_.has_own_bytes(aggregate)) {
        const int64_t own = from_.bytes(aggregate);
        to_.set_complete_bytes(piece, share(end, own, size) - share(begin, own, size));
      }
      begin = end;
      at->second.push_back(piece);
    }
    return at->second;
  }

  const Program& from_;
  Program to_;
  std::unordered_map<int32_t, std::vector<AggregateId>> pieces_;
};

}  // namespace

Program expand(const Program& program) {
  return program.splits().empty() ? program : Expansion(program).run();
}

Program preamble_of(const Program& program) {
  Program preamble;
  if (program.splits().empty()) {
    preamble = program;
    preamble.set_body({});
    return preamble;
  }
  preamble.set_sites(program.sites());
  for (const Partition& p : program.partitions()) {
    if (p.open()) {
      preamble.add_open_partition(p.name, p.size);
    } else {
      preamble.add_partition(p.name, p.members);
    }
  }
  std::vector<AtomId> atoms;
  for (const Atom& a : program.atoms()) {
    atoms.push_back(a.whole.valid()
                        ? AtomId()
                        : preamble.add_atom({.name = a.name, .bytes = a.bytes, .grain = a.grain}));
  }
  const auto moved = [&](AggregateId aggregate) {
    std::vector<AtomId> names;
    for (AtomId a : program.atoms(aggregate)) names.push_back(atoms[a.index()]);
    const AggregateId to = preamble.aggregate(names);
    if (program.has_own_bytes(aggregate)) preamble.set_complete_bytes(to, program.bytes(aggregate));
    return to;
  };
  for (const Given& g : program.given()) preamble.give(moved(g.aggregate), g.site);
  for (const Requirement& r : program.required()) preamble.require(moved(r.aggregate), r.place);
  return preamble;
}

std::vector<std::string> names_in(const Program& preamble, const Program& program) {
  std::vector<std::string> names;
  for (const Atom& a : program.atoms()) {
    names.push_back(a.whole.valid() ? names[a.whole.index()] + '.' + std::to_string(a.piece)
                                    : preamble.atoms()[names.size()].name);
  }
  return names;
}

}  // namespace einsummable::exchange
