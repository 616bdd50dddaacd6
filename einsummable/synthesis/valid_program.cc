// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/valid_program.h"

#include <algorithm>
#include <iterator>

#include "einsummable/base/error.h"
#include "einsummable/exchange/expand.h"

namespace einsummable::synthesis {

using namespace exchange;

ValidProgram::ValidProgram(Program program, const Members& members)
    : ValidProgram(program, check(program, {.members = members})) {}

ValidProgram::ValidProgram(Program program, Verdict verdict)
    : program_(std::move(program)), verdict_(std::move(verdict)), pieces_(expand(program_)) {
  if (!verdict_.ok()) throw ExchangeError(verdict_.reason);
  find_holders();
}

AggregateId ValidProgram::piece(AggregateId aggregate, int32_t k) {
  AtomSet atoms;
  for (AtomId a : program_.atoms(aggregate)) {
    atoms.push_back(program_.splits()[static_cast<size_t>(program_.atom(a).split)].piece(k));
  }
  const AggregateId id = pieces_.aggregate(atoms);
  derived_.resize(pieces_.aggregate_count());
  return id;
}

void ValidProgram::find_holders() {
  derived_.resize(pieces_.aggregate_count());
  for (size_t i = 0; i < verdict_.derivations.size(); ++i) {
    derived_[verdict_.derivations[i].aggregate.index()].push_back(static_cast<int32_t>(i));
  }
  const auto site_of = [&](int32_t i) { return verdict_.derivations[static_cast<size_t>(i)].site; };
  for (auto& indices : derived_) std::ranges::sort(indices, {}, site_of);
  for (size_t x = 0; x < program_.aggregate_count(); ++x) {
    const AggregateId id(static_cast<int64_t>(x));
    const Split* split = program_.split(id);
    std::vector<SiteId> holders = program_.sites();
    for (int32_t k = 0; k < (split == nullptr ? 1 : split->count); ++k) {
      const AggregateId part = split == nullptr ? id : piece(id, k);
      if (k == 0) first_piece_.push_back(part);
      std::vector<SiteId> sites, common;
      for (int32_t i : derived_[part.index()]) sites.push_back(site_of(i));
      std::ranges::set_intersection(holders, sites, std::back_inserter(common));
      holders = std::move(common);
    }
    holders_.push_back(std::move(holders));
  }
}

std::span<const SiteId> ValidProgram::sites(const Place& place) const {
  if (place.is_site()) return {&place.site, 1};
  return members()[place.partition.index()];
}

bool ValidProgram::holds(SiteId site, AggregateId aggregate) const {
  return std::ranges::binary_search(holders(aggregate), site);
}

std::vector<AtomSet> ValidProgram::parts(AggregateId aggregate, SiteId site) const {
  std::vector<AtomSet> parts;
  for (int32_t i : derived_[first_piece_[aggregate.index()].index()]) {
    const Derivation& d = verdict_.derivations[static_cast<size_t>(i)];
    if (d.site != site) continue;
    for (AggregateId part : verdict_.parts_of(d)) {
      AtomSet& atoms = parts.emplace_back();
      for (AtomId a : pieces_.atoms(part)) {
        const bool whole = program_.split(aggregate) == nullptr;
        atoms.push_back(whole ? a : program_.atom(a).whole);
      }
      std::ranges::sort(atoms);
    }
  }
  return parts;
}

}  // namespace einsummable::synthesis
