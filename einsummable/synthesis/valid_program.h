// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// An aggregate as its atoms, sorted: what it is in every program of the same atoms.
using AtomSet = std::vector<exchange::AtomId>;

// A program that the checker found valid, its membership fixed, and what is where in the end. There
// is no other way to make one, so whatever yields a ValidProgram is sound.
class ValidProgram {
 public:
  // `members` are those of every partition; none: those it declares, or the first that make it
  // valid. Throws ExchangeError with the checker's reason if it is not valid.
  explicit ValidProgram(exchange::Program program, const exchange::Members& members = {});
  // From a verdict of check(program) that is ok().
  ValidProgram(exchange::Program program, exchange::Verdict verdict);

  const exchange::Program& program() const { return program_; }
  const exchange::Members& members() const { return verdict_.members; }
  // The sites of a place, sorted.
  std::span<const exchange::SiteId> sites(const exchange::Place& place) const;
  // The sites where the aggregate is in the end (all its pieces, if it is split), sorted.
  std::span<const exchange::SiteId> holders(exchange::AggregateId aggregate) const {
    return holders_[aggregate.index()];
  }
  bool holds(exchange::SiteId site, exchange::AggregateId aggregate) const;
  // What the aggregate is aggregated from at the site (its first piece, if it is split); empty if
  // it is not aggregated there.
  std::vector<AtomSet> parts(exchange::AggregateId aggregate, exchange::SiteId site) const;

 private:
  void find_holders();
  // The aggregate of the k-th pieces of its atoms.
  exchange::AggregateId piece(exchange::AggregateId aggregate, int32_t k);

  exchange::Program program_;
  exchange::Verdict verdict_;
  exchange::Program pieces_;  // what the derivations are of
  // Of each aggregate of program_:
  std::vector<std::vector<exchange::SiteId>> holders_;
  std::vector<exchange::AggregateId> first_piece_;  // in pieces_; itself if it is whole
  // Of each aggregate of pieces_: its derivations, sorted by site.
  std::vector<std::vector<int32_t>> derived_;
};

}  // namespace einsummable::synthesis
