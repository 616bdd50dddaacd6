// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// One transfer that a program asks for.
struct Send {
  AggregateId aggregate;
  SiteId source;
  SiteId destination;
  int32_t action = 0;  // its place in the body
};

// Calls visit(site) for the site, or for every member of the partition.
template <class Visit>
void each_site(Place place, const Members& members, Visit visit) {
  if (place.is_site()) {
    visit(place.site);
  } else {
    for (SiteId s : members[place.partition.index()]) visit(s);
  }
}

// Calls visit(Send) for the transfers of a program without splits, in program order: each once, at
// its first place; to no site from itself.
template <class Visit>
void each_send(const Program& program, const Members& members, Visit visit) {
  struct Hash {
    size_t operator()(const std::pair<int64_t, int32_t>& key) const {
      return static_cast<size_t>((static_cast<uint64_t>(key.first) * 0x9E3779B97F4A7C15u) ^
                                 (static_cast<uint64_t>(key.second) * 0xC2B2AE3D27D4EB4Fu));
    }
  };
  std::unordered_set<std::pair<int64_t, int32_t>, Hash> seen;
  for (size_t i = 0; i < program.body().size(); ++i) {
    const Action& action = program.body()[i];
    const SiteId source = action.source.site;
    for (Place place : action.destinations) {
      each_site(place, members, [&](SiteId destination) {
        const int64_t pair = int64_t{source.value} * site_number_limit + destination.value;
        if (destination == source || !seen.insert({pair, action.aggregate.value}).second) return;
        visit(Send{action.aggregate, source, destination, static_cast<int32_t>(i)});
      });
    }
  }
}

}  // namespace einsummable::exchange
