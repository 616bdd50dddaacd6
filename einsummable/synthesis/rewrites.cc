// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/rewrites.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/exchange/repetitions.h"
#include "einsummable/synthesis/rewrite_rules.h"

namespace einsummable::synthesis {

using namespace exchange;

namespace {

constexpr Rewrite all[] = {
    {"multicast fission", "", rules::split_multicast, rules::multicasts},
    {"multicast fusion", "", rules::join_multicasts, rules::multicast_pairs},
    {"relay introduction", "", rules::add_relay, rules::relays_to_add},
    {"relay elimination", "X at the relay is not otherwise required", rules::drop_relay,
     rules::relays_to_drop},
    {"aggregation pushdown", "X and Y are not required apart at the destination", rules::push_down,
     rules::pairs_to_push_down},
    {"aggregation pullup", "X+Y is not required at the source", rules::pull_up,
     rules::sums_to_pull_up},
    {"source substitution",
     "X is at the new source without the transfer, and is not required at "
     "the old one because of it",
     rules::change_source, rules::other_sources},
    {"deletion", "what the action brings is not required", rules::remove, rules::removals},
    {"insertion", "the action can fire", rules::insert, rules::insertions, true},
};

}  // namespace

std::span<const Rewrite> rewrites() { return all; }

const Rewrite& rewrite_named(std::string_view name) {
  const auto at = std::ranges::find(all, name, &Rewrite::name);
  ensure(at != std::end(all), "a rewrite of this name");
  return *at;
}

namespace rules {

std::vector<Action> edited(const Program& program, std::initializer_list<Instead> edits) {
  std::vector<Action> body;
  body.reserve(program.body().size() + 4);
  for (size_t i = 0; i < program.body().size(); ++i) {
    const auto edit = std::ranges::find(edits, i, &Instead::place);
    if (edit == edits.end()) {
      body.push_back(program.body()[i]);
    } else {
      body.insert(body.end(), edit->actions.begin(), edit->actions.end());
    }
  }
  return body;
}

Rewritten settle(const ValidProgram& from, Program program, std::vector<Action> body, Guard guard,
                 std::string_view loss) {
  for (Action& action : body) {
    std::ranges::sort(action.destinations);
    const auto end = std::unique(action.destinations.begin(), action.destinations.end());
    action.destinations.erase(end, action.destinations.end());
  }
  program.set_body(std::move(body));
  Repetitions seen(program);
  std::vector<Action> once;
  for (size_t i = 0; i < program.body().size(); ++i) {
    if (seen.new_action(i)) once.push_back(program.body()[i]);
  }
  program.set_body(std::move(once));
  Verdict verdict = check(program, {.members = from.members()});
  if (verdict.ok()) return {.program = ValidProgram(std::move(program), std::move(verdict))};
  ensure(guard == Guard::valid || verdict.outcome == Verdict::Outcome::too_hard,
         "a rewrite that is always permitted keeps programs valid");
  std::string reason(loss);
  return {.reason = reason + (reason.empty() ? "" : ": ") + verdict.reason};
}

std::string no_action(const ValidProgram& from, size_t place) {
  const size_t count = from.program().body().size();
  if (place < count) return {};
  return "the body has " + std::to_string(count) + " actions, and none at place " +
         (place == Spot::none ? "none" : std::to_string(place));
}

std::string no_transfer(const ValidProgram& from, size_t place, SiteId destination) {
  if (std::string reason = no_action(from, place); !reason.empty()) return reason;
  const Action& action = from.program().body()[place];
  if (destination.valid() && sends_to(from, action, destination)) return {};
  return aggregate_text(from.program(), action.aggregate) + " @ " +
         place_text(from.program(), action.source) + " at place " + std::to_string(place) +
         " does not send to site " + std::to_string(destination.value);
}

std::string not_declared(const ValidProgram& from, SiteId site) {
  if (std::ranges::binary_search(from.program().sites(), site)) return {};
  return "there is no site " + std::to_string(site.value);
}

bool sends_to(const ValidProgram& from, const Action& action, SiteId site) {
  return action.source != Place(site) && std::ranges::any_of(action.destinations, [&](Place p) {
           return std::ranges::binary_search(from.sites(p), site);
         });
}

std::vector<Action> without(const ValidProgram& from, const Action& action, SiteId site) {
  Action left{action.aggregate, action.source, {}};
  for (const Place& place : action.destinations) {
    const auto sites = from.sites(place);
    if (!std::ranges::binary_search(sites, site)) {
      left.destinations.push_back(place);
      continue;
    }
    for (SiteId s : sites) {
      if (s != site && Place(s) != action.source) left.destinations.emplace_back(s);
    }
  }
  if (left.destinations.empty()) return {};
  return {std::move(left)};
}

Action transfer(AggregateId what, SiteId source, SiteId destination) {
  return {what, source, {Place(destination)}};
}

}  // namespace rules
}  // namespace einsummable::synthesis
