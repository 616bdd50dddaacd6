// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/parts.h"

#include <algorithm>
#include <numeric>

namespace einsummable::exchange {

PartsFinder::PartsFinder(const Program& program)
    : program_(program),
      ranks_(program.atoms().size()),
      heads_(program.atoms().size()),
      next_(program.aggregate_count()),
      marks_(program.atoms().size(), 0),
      places_(program.atoms().size(), 0) {
  std::vector<int32_t> order(ranks_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto name = [&](int32_t a) -> const std::string& { return program.atom(AtomId(a)).name; };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return name(a) < name(b); });
  for (size_t r = 0; r < order.size(); ++r)
    ranks_[static_cast<size_t>(order[r])] = static_cast<int32_t>(r);
}

void PartsFinder::add(AggregateId aggregate) {
  AggregateId& head = heads_[program_.atoms(aggregate)[0].index()];
  next_[aggregate.index()] = head;
  head = aggregate;
}

std::vector<AggregateId> PartsFinder::inside(AggregateId aggregate, Budget& budget) {
  const auto atoms = program_.atoms(aggregate);
  const int32_t mark = fresh_mark();
  for (AtomId a : atoms) marks_[a.index()] = mark;
  std::vector<AggregateId> found;
  int64_t steps = static_cast<int64_t>(atoms.size());
  for (AtomId a : atoms) {
    for (AggregateId y = heads_[a.index()]; y.valid(); y = next_[y.index()]) {
      const auto candidate = program_.atoms(y);
      size_t in = 0;
      while (in < candidate.size() && marks_[candidate[in].index()] == mark) ++in;
      steps += static_cast<int64_t>(in) + 1;
      if (in == candidate.size() && in < atoms.size()) found.push_back(y);
    }
    if (budget.steps < steps) break;
  }
  budget.spend_steps(steps);
  return found;
}

bool PartsFinder::disjoint(std::span<const AggregateId> candidates) {
  const int32_t mark = fresh_mark();
  for (AggregateId y : candidates) {
    for (AtomId a : program_.atoms(y)) {
      if (marks_[a.index()] == mark) return false;
      marks_[a.index()] = mark;
    }
  }
  return true;
}

int32_t PartsFinder::least_rank(AggregateId aggregate) const {
  int32_t least = ranks_[program_.atoms(aggregate)[0].index()];
  for (AtomId a : program_.atoms(aggregate)) least = std::min(least, ranks_[a.index()]);
  return least;
}

void PartsFinder::order_by_name(std::vector<AggregateId>& aggregates) const {
  std::vector<std::pair<int32_t, AggregateId>> keyed;
  for (AggregateId y : aggregates) keyed.emplace_back(least_rank(y), y);
  std::sort(keyed.begin(), keyed.end());
  for (size_t i = 0; i < keyed.size(); ++i) aggregates[i] = keyed[i].second;
}

Parts PartsFinder::choose(AggregateId whole, std::span<const AggregateId> candidates,
                          Budget& budget) {
  const auto atoms = program_.atoms(whole);
  size_t covered = 0;
  for (AggregateId y : candidates) covered += program_.atoms(y).size();
  budget.spend_steps(static_cast<int64_t>(covered));
  if (budget.spent()) return {Cover::Outcome::too_hard};
  if (covered < atoms.size()) return {};
  if (disjoint(candidates)) {
    if (covered != atoms.size()) return {};
    Parts parts{Cover::Outcome::found, {candidates.begin(), candidates.end()}};
    order_by_name(parts.aggregates);
    return parts;
  }
  // Elements of the cover are the atoms in order of their names, sets the candidates in order of
  // theirs.
  std::vector<AtomId> named(atoms.begin(), atoms.end());
  std::sort(named.begin(), named.end(),
            [&](AtomId a, AtomId b) { return ranks_[a.index()] < ranks_[b.index()]; });
  for (size_t i = 0; i < named.size(); ++i) places_[named[i].index()] = static_cast<int32_t>(i);
  std::vector<std::pair<std::vector<int32_t>, AggregateId>> sets;
  for (AggregateId y : candidates) {
    std::vector<int32_t> elements;
    for (AtomId a : program_.atoms(y)) elements.push_back(places_[a.index()]);
    std::sort(elements.begin(), elements.end());
    sets.emplace_back(std::move(elements), y);
  }
  std::sort(sets.begin(), sets.end());
  std::vector<std::vector<int32_t>> elements;
  for (const auto& [set, id] : sets) elements.push_back(set);
  const Cover cover = fewest_cover(static_cast<int32_t>(named.size()), elements, budget);
  Parts parts{cover.outcome};
  for (int32_t s : cover.sets) parts.aggregates.push_back(sets[static_cast<size_t>(s)].second);
  return parts;
}

}  // namespace einsummable::exchange
