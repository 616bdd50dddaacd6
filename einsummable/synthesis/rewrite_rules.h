// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/synthesis/rewrites.h"

// The rules behind rewrites(), and what they are made of.
namespace einsummable::synthesis::rules {

Rewritten split_multicast(const ValidProgram& from, const Spot& spot);
Rewritten join_multicasts(const ValidProgram& from, const Spot& spot);
Rewritten add_relay(const ValidProgram& from, const Spot& spot);
Rewritten drop_relay(const ValidProgram& from, const Spot& spot);
Rewritten push_down(const ValidProgram& from, const Spot& spot);
Rewritten pull_up(const ValidProgram& from, const Spot& spot);
Rewritten change_source(const ValidProgram& from, const Spot& spot);
Rewritten remove(const ValidProgram& from, const Spot& spot);
Rewritten insert(const ValidProgram& from, const Spot& spot);

std::vector<Spot> multicasts(const ValidProgram& from);
std::vector<Spot> multicast_pairs(const ValidProgram& from);
std::vector<Spot> relays_to_add(const ValidProgram& from);
std::vector<Spot> relays_to_drop(const ValidProgram& from);
std::vector<Spot> pairs_to_push_down(const ValidProgram& from);
std::vector<Spot> sums_to_pull_up(const ValidProgram& from);
std::vector<Spot> other_sources(const ValidProgram& from);
std::vector<Spot> removals(const ValidProgram& from);
std::vector<Spot> insertions(const ValidProgram& from);

// Whether nothing but the pattern is asked for, or the result's validity as well.
enum class Guard { none, valid };

// What stands in the body instead of the action at a place.
struct Instead {
  size_t place;
  std::vector<exchange::Action> actions;
};

std::vector<exchange::Action> edited(const exchange::Program& program,
                                     std::initializer_list<Instead> edits);

// The program with this body, repetitions dropped, if it is valid. `loss` says what is lost by the
// rewrite; the reason is that and what the checker finds missing.
Rewritten settle(const ValidProgram& from, exchange::Program program,
                 std::vector<exchange::Action> body, Guard guard, std::string_view loss = {});

// A reason against a spot: that the action is not there, or sends nothing to the destination.
std::string no_action(const ValidProgram& from, size_t place);
std::string no_transfer(const ValidProgram& from, size_t place, exchange::SiteId destination);
std::string not_declared(const ValidProgram& from, exchange::SiteId site);

// Whether the action sends to the site, by itself or as a member of a partition.
bool sends_to(const ValidProgram& from, const exchange::Action& action, exchange::SiteId site);
// The action without one site among its destinations; no action if none is left.
std::vector<exchange::Action> without(const ValidProgram& from, const exchange::Action& action,
                                      exchange::SiteId site);
exchange::Action transfer(exchange::AggregateId what, exchange::SiteId source,
                          exchange::SiteId destination);

// Visits every transfer of the body: visit(place, action, destination), each destination of an
// action once, the source not.
template <class Visit>
void each_transfer(const ValidProgram& from, Visit visit) {
  const auto& body = from.program().body();
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].destinations.empty()) continue;
    std::vector<exchange::SiteId> sites;
    for (const exchange::Place& place : body[i].destinations) {
      for (exchange::SiteId s : from.sites(place)) {
        if (s != body[i].source.site) sites.push_back(s);
      }
    }
    std::ranges::sort(sites);
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    for (exchange::SiteId s : sites) visit(i, body[i], s);
  }
}

}  // namespace einsummable::synthesis::rules
