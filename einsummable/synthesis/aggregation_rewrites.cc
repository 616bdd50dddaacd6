// SPDX-License-Identifier: Apache-2.0
// Rewrites that change where an aggregate is formed.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "einsummable/synthesis/rewrite_rules.h"

namespace einsummable::synthesis::rules {

using namespace exchange;

namespace {

bool overlap(std::span<const AtomId> a, std::span<const AtomId> b) {
  std::vector<AtomId> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return !both.empty();
}

AtomSet joined(std::span<const AtomId> a, std::span<const AtomId> b) {
  AtomSet atoms;
  std::ranges::set_union(a, b, std::back_inserter(atoms));
  return atoms;
}

// The aggregates that OUT or the body names, by the first of the atoms they hold: what else is
// aggregated is of no use.
class Wanted {
 public:
  explicit Wanted(const Program& program) : program_(program), holders_(program.atoms().size()) {
    std::vector<bool> named(program.aggregate_count(), false);
    for (const Requirement& r : program.required()) named[r.aggregate.index()] = true;
    for (const Action& a : program.body()) named[a.aggregate.index()] = true;
    for (size_t x = 0; x < named.size(); ++x) {
      if (!named[x]) continue;
      const AggregateId id(static_cast<int64_t>(x));
      for (AtomId a : program.atoms(id)) holders_[a.index()].push_back(id);
    }
  }

  bool holds(const AtomSet& atoms) const {
    return std::ranges::any_of(holders_[atoms[0].index()], [&](AggregateId x) {
      return std::ranges::includes(program_.atoms(x), atoms);
    });
  }

 private:
  const Program& program_;
  std::vector<std::vector<AggregateId>> holders_;
};

}  // namespace

Rewritten push_down(const ValidProgram& from, const Spot& spot) {
  for (size_t place : {spot.action, spot.other}) {
    if (auto reason = no_transfer(from, place, spot.destination); !reason.empty())
      return {.reason = std::move(reason)};
  }
  const Action& one = from.program().body()[spot.action];
  const Action& two = from.program().body()[spot.other];
  if (one.source != two.source) return {.reason = "the transfers have different sources"};
  const auto x = from.program().atoms(one.aggregate), y = from.program().atoms(two.aggregate);
  if (overlap(x, y)) return {.reason = "the aggregates have an atom in common"};
  Program program = from.program();
  const AggregateId sum = program.aggregate(joined(x, y));
  std::vector<Action> first = without(from, one, spot.destination);
  std::vector<Action> second = without(from, two, spot.destination);
  auto& earlier = spot.action < spot.other ? first : second;
  earlier.push_back(transfer(sum, one.source.site, spot.destination));
  std::vector<Action> body =
      edited(program, {{spot.action, std::move(first)}, {spot.other, std::move(second)}});
  std::erase(body, Action{sum, spot.destination, {}});
  return settle(from, std::move(program), std::move(body), Guard::valid,
                aggregate_text(from.program(), one.aggregate) + " or " +
                    aggregate_text(from.program(), two.aggregate) + " is required apart");
}

std::vector<Spot> pairs_to_push_down(const ValidProgram& from) {
  const Program& program = from.program();
  // Transfers between the same sites of atoms that can be aggregated at all.
  using Queue = std::tuple<SiteId, SiteId, int64_t, int32_t, int32_t>;
  std::map<Queue, std::vector<size_t>> queues;
  each_transfer(from, [&](size_t i, const Action& action, SiteId d) {
    const Atom& atom = program.atom(program.atoms(action.aggregate)[0]);
    const Atom& whole = atom.whole.valid() ? program.atom(atom.whole) : atom;
    const int32_t cut =
        whole.split < 0 ? -1 : program.splits()[static_cast<size_t>(whole.split)].cut;
    queues[{action.source.site, d, atom.bytes, atom.piece, cut}].push_back(i);
  });
  const Wanted wanted(program);
  std::vector<Spot> spots;
  for (const auto& [queue, places] : queues) {
    for (size_t j = 1; j < places.size(); ++j) {
      const auto y = program.atoms(program.body()[places[j]].aggregate);
      for (size_t i = 0; i < j; ++i) {
        const auto x = program.atoms(program.body()[places[i]].aggregate);
        if (overlap(x, y) || !wanted.holds(joined(x, y))) continue;
        spots.push_back(
            {.action = places[i], .other = places[j], .destination = std::get<1>(queue)});
      }
    }
  }
  std::ranges::stable_sort(
      spots, {}, [](const Spot& s) { return std::tuple(s.action, s.other, s.destination); });
  return spots;
}

Rewritten pull_up(const ValidProgram& from, const Spot& spot) {
  if (auto reason = no_transfer(from, spot.action, spot.destination); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& action = from.program().body()[spot.action];
  AtomSet covered;
  for (const AtomSet& part : spot.parts) covered.insert(covered.end(), part.begin(), part.end());
  std::ranges::sort(covered);
  const bool empty = std::ranges::any_of(spot.parts, &AtomSet::empty);
  if (spot.parts.size() < 2 || empty ||
      !std::ranges::equal(covered, from.program().atoms(action.aggregate))) {
    return {.reason =
                "the parts do not partition " + aggregate_text(from.program(), action.aggregate)};
  }
  Program program = from.program();
  std::vector<Action> instead = without(from, action, spot.destination);
  const SiteId source = action.source.site;
  for (const AtomSet& part : spot.parts)
    instead.push_back(transfer(program.aggregate(part), source, spot.destination));
  const std::string loss = aggregate_text(program, action.aggregate) +
                           " or a part of it is not at " + std::to_string(source.value) +
                           " without the transfer";
  Rewritten bare =
      settle(from, program, edited(program, {{spot.action, instead}}), Guard::valid, loss);
  if (bare.ok()) return bare;
  instead.push_back({action.aggregate, spot.destination, {}});
  std::vector<Action> body = edited(program, {{spot.action, std::move(instead)}});
  return settle(from, std::move(program), std::move(body), Guard::valid, loss);
}

// All parts that the aggregate is made of at the source, and each of them beside the rest.
std::vector<Spot> sums_to_pull_up(const ValidProgram& from) {
  std::vector<Spot> spots;
  each_transfer(from, [&](size_t i, const Action& action, SiteId d) {
    const std::vector<AtomSet> parts = from.parts(action.aggregate, action.source.site);
    if (parts.empty()) return;
    spots.push_back({.action = i, .destination = d, .parts = parts});
    if (parts.size() == 2) return;
    for (const AtomSet& part : parts) {
      AtomSet rest;
      std::ranges::set_difference(from.program().atoms(action.aggregate), part,
                                  std::back_inserter(rest));
      spots.push_back({.action = i, .destination = d, .parts = {part, rest}});
    }
  });
  return spots;
}

}  // namespace einsummable::synthesis::rules
