// SPDX-License-Identifier: Apache-2.0
// Rewrites that change the way of an aggregate and not what is aggregated.
#include <algorithm>
#include <map>
#include <utility>

#include "einsummable/synthesis/rewrite_rules.h"

namespace einsummable::synthesis::rules {

using namespace exchange;

namespace {

std::string at_site(const ValidProgram& from, AggregateId what, SiteId site) {
  return aggregate_text(from.program(), what) + " at " + std::to_string(site.value);
}

}  // namespace

Rewritten split_multicast(const ValidProgram& from, const Spot& spot) {
  if (auto reason = no_transfer(from, spot.action, spot.destination); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& action = from.program().body()[spot.action];
  std::vector<Action> parts = without(from, action, spot.destination);
  if (parts.empty()) return {.reason = "an action with one destination is not divided"};
  parts.insert(parts.begin(), transfer(action.aggregate, action.source.site, spot.destination));
  return settle(from, from.program(), edited(from.program(), {{spot.action, parts}}), Guard::none);
}

std::vector<Spot> multicasts(const ValidProgram& from) {
  std::vector<Spot> spots;
  std::vector<int32_t> count(from.program().body().size(), 0);
  each_transfer(from, [&](size_t i, const Action&, SiteId d) {
    ++count[i];
    spots.push_back({.action = i, .destination = d});
  });
  std::erase_if(spots, [&](const Spot& s) { return count[s.action] < 2; });
  return spots;
}

Rewritten join_multicasts(const ValidProgram& from, const Spot& spot) {
  for (size_t place : {spot.action, spot.other}) {
    if (auto reason = no_action(from, place); !reason.empty()) return {.reason = std::move(reason)};
  }
  const Action& one = from.program().body()[spot.action];
  const Action& two = from.program().body()[spot.other];
  if (spot.action == spot.other) return {.reason = "an action is not joined with itself"};
  if (one.aggregate != two.aggregate || one.source != two.source)
    return {.reason = "the actions differ in aggregate or source"};
  Action both = one;
  both.destinations.insert(both.destinations.end(), two.destinations.begin(),
                           two.destinations.end());
  const size_t first = std::min(spot.action, spot.other);
  const size_t second = std::max(spot.action, spot.other);
  return settle(from, from.program(), edited(from.program(), {{first, {both}}, {second, {}}}),
                Guard::none);
}

std::vector<Spot> multicast_pairs(const ValidProgram& from) {
  const auto& body = from.program().body();
  std::map<std::pair<AggregateId, Place>, std::vector<size_t>> alike;
  std::vector<Spot> spots;
  for (size_t i = 0; i < body.size(); ++i) {
    auto& earlier = alike[{body[i].aggregate, body[i].source}];
    for (size_t j : earlier) spots.push_back({.action = j, .other = i});
    earlier.push_back(i);
  }
  return spots;
}

Rewritten add_relay(const ValidProgram& from, const Spot& spot) {
  if (auto reason = no_transfer(from, spot.action, spot.destination); !reason.empty())
    return {.reason = std::move(reason)};
  if (auto reason = not_declared(from, spot.site); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& action = from.program().body()[spot.action];
  const SiteId source = action.source.site;
  if (spot.site == source || spot.site == spot.destination)
    return {.reason = "a relay is neither source nor destination of the transfer"};
  std::vector<Action> instead = without(from, action, spot.destination);
  if (instead.empty() || !sends_to(from, instead[0], spot.site))
    instead.push_back(transfer(action.aggregate, source, spot.site));
  instead.push_back(transfer(action.aggregate, spot.site, spot.destination));
  return settle(from, from.program(), edited(from.program(), {{spot.action, instead}}),
                Guard::none);
}

std::vector<Spot> relays_to_add(const ValidProgram& from) {
  std::vector<Spot> spots;
  each_transfer(from, [&](size_t i, const Action& action, SiteId d) {
    for (SiteId r : from.program().sites()) {
      if (r != action.source.site && r != d)
        spots.push_back({.action = i, .destination = d, .site = r});
    }
  });
  return spots;
}

// The relay is the source of the other action.
Rewritten drop_relay(const ValidProgram& from, const Spot& spot) {
  if (auto reason = no_transfer(from, spot.other, spot.destination); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& out = from.program().body()[spot.other];
  const SiteId relay = out.source.site;
  if (auto reason = no_transfer(from, spot.action, relay); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& in = from.program().body()[spot.action];
  if (in.aggregate != out.aggregate)
    return {.reason = "the relay passes on another aggregate than it gets"};
  if (in.source.site == spot.destination)
    return {.reason = "the transfer would end where it begins"};
  std::vector<Action> instead = without(from, in, relay);
  instead.push_back(transfer(in.aggregate, in.source.site, spot.destination));
  return settle(from, from.program(),
                edited(from.program(), {{spot.action, instead},
                                        {spot.other, without(from, out, spot.destination)}}),
                Guard::valid, at_site(from, out.aggregate, relay) + " is otherwise required");
}

std::vector<Spot> relays_to_drop(const ValidProgram& from) {
  std::map<std::pair<AggregateId, SiteId>, std::vector<size_t>> into;
  each_transfer(from, [&](size_t i, const Action& action, SiteId d) {
    into[{action.aggregate, d}].push_back(i);
  });
  std::vector<Spot> spots;
  each_transfer(from, [&](size_t j, const Action& action, SiteId d) {
    const auto found = into.find({action.aggregate, action.source.site});
    if (found == into.end()) return;
    for (size_t i : found->second) {
      if (from.program().body()[i].source != Place(d))
        spots.push_back({.action = i, .other = j, .destination = d});
    }
  });
  return spots;
}

Rewritten change_source(const ValidProgram& from, const Spot& spot) {
  if (auto reason = no_transfer(from, spot.action, spot.destination); !reason.empty())
    return {.reason = std::move(reason)};
  if (auto reason = not_declared(from, spot.site); !reason.empty())
    return {.reason = std::move(reason)};
  const Action& action = from.program().body()[spot.action];
  if (spot.site == action.source.site || spot.site == spot.destination)
    return {.reason = "the new source is neither the old one nor the destination"};
  if (!from.holds(spot.site, action.aggregate))
    return {.reason = at_site(from, action.aggregate, spot.site) + " never comes to be"};
  std::vector<Action> instead = without(from, action, spot.destination);
  instead.push_back(transfer(action.aggregate, spot.site, spot.destination));
  return settle(from, from.program(), edited(from.program(), {{spot.action, instead}}),
                Guard::valid,
                at_site(from, action.aggregate, action.source.site) + " or at " +
                    std::to_string(spot.site.value) + " comes of this transfer");
}

std::vector<Spot> other_sources(const ValidProgram& from) {
  std::vector<Spot> spots;
  each_transfer(from, [&](size_t i, const Action& action, SiteId d) {
    for (SiteId s : from.holders(action.aggregate)) {
      if (s != action.source.site && s != d)
        spots.push_back({.action = i, .destination = d, .site = s});
    }
  });
  return spots;
}

Rewritten remove(const ValidProgram& from, const Spot& spot) {
  const bool whole = !spot.destination.valid();
  auto reason =
      whole ? no_action(from, spot.action) : no_transfer(from, spot.action, spot.destination);
  if (!reason.empty()) return {.reason = std::move(reason)};
  const Action& action = from.program().body()[spot.action];
  std::vector<Action> left;
  if (!whole) left = without(from, action, spot.destination);
  return settle(from, from.program(), edited(from.program(), {{spot.action, left}}), Guard::valid,
                "what the action brings is required");
}

std::vector<Spot> removals(const ValidProgram& from) {
  const auto& body = from.program().body();
  std::vector<Spot> spots;
  each_transfer(from, [&](size_t i, const Action&, SiteId d) {
    spots.push_back({.action = i, .destination = d});
  });
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].destinations.empty()) spots.push_back({.action = i});
  }
  return spots;
}

Rewritten insert(const ValidProgram& from, const Spot& spot) {
  if (spot.parts.size() != 1 || spot.parts[0].empty())
    return {.reason = "an action has one aggregate"};
  for (AtomId a : spot.parts[0]) {
    if (!a.valid() || a.index() >= from.program().atoms().size())
      return {.reason = "there is no such atom"};
  }
  AtomSet atoms = spot.parts[0];
  std::ranges::sort(atoms);
  if (std::ranges::adjacent_find(atoms) != atoms.end())
    return {.reason = "an atom is twice in the aggregate"};
  if (auto reason = not_declared(from, spot.site); !reason.empty())
    return {.reason = std::move(reason)};
  Program program = from.program();
  Action action{program.aggregate(atoms), spot.site, {}};
  if (spot.destination.valid()) {
    if (auto reason = not_declared(from, spot.destination); !reason.empty())
      return {.reason = std::move(reason)};
    action.destinations.emplace_back(spot.destination);
  }
  std::vector<Action> body = program.body();
  const size_t place = std::min(spot.action, body.size());
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(place), std::move(action));
  return settle(from, std::move(program), std::move(body), Guard::valid, "the action cannot fire");
}

std::vector<Spot> insertions(const ValidProgram& from) {
  const Program& program = from.program();
  std::vector<Spot> spots;
  for (size_t x = 0; x < program.aggregate_count(); ++x) {
    const AggregateId id(static_cast<int64_t>(x));
    const auto atoms = program.atoms(id);
    for (SiteId s : from.holders(id)) {
      for (SiteId d : program.sites()) {
        if (from.holds(d, id)) continue;
        spots.push_back({.action = program.body().size(),
                         .destination = d,
                         .site = s,
                         .parts = {AtomSet(atoms.begin(), atoms.end())}});
      }
    }
  }
  return spots;
}

}  // namespace einsummable::synthesis::rules
