// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/naive.h"

#include <algorithm>
#include <unordered_set>

#include "einsummable/exchange/parts.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

class Naive {
 public:
  Naive(const Program& preamble, const Members& members)
      : program_(preamble),
        members_(members),
        finder_(preamble),
        first_(preamble.aggregate_count()) {
    there_.reserve(2 * (preamble.given().size() + preamble.required().size()));
    for (const Given& g : preamble.given()) {
      if (!first_[g.aggregate.index()].valid()) finder_.add(g.aggregate);
      put(g.aggregate, g.site);
    }
  }

  Body run() {
    const auto& required = program_.required();
    for (size_t i = 0; i < required.size();) {
      const AggregateId what = required[i].aggregate;
      std::vector<SiteId> sites;
      for (; i < required.size() && required[i].aggregate == what; ++i)
        add_sites(required[i].place, sites);
      std::sort(sites.begin(), sites.end());
      for (SiteId site : sites) {
        if (!bring(what, site)) return std::move(body_);
      }
    }
    body_.ok = true;
    return std::move(body_);
  }

 private:
  void add_sites(Place place, std::vector<SiteId>& sites) const {
    if (place.is_site()) {
      sites.push_back(place.site);
    } else {
      const auto& members = members_[place.partition.index()];
      sites.insert(sites.end(), members.begin(), members.end());
    }
  }

  // Records that the aggregate is at the site. False if it was.
  bool put(AggregateId what, SiteId site) {
    if (!first_[what.index()].valid()) first_[what.index()] = site;
    return there_
        .insert(static_cast<uint64_t>(what.value) << 32 | static_cast<uint64_t>(site.value))
        .second;
  }

  void copy(AggregateId what, SiteId to) {
    const SiteId from = first_[what.index()];
    if (put(what, to)) body_.actions.push_back({what, from, {to}});
  }

  bool bring(AggregateId what, SiteId site) {
    if (first_[what.index()].valid()) {
      copy(what, site);
      return true;
    }
    const std::vector<AggregateId> candidates = finder_.inside(what, budget_);
    const Parts parts = finder_.choose(what, candidates, budget_);
    if (parts.outcome != Cover::Outcome::found) {
      body_ = {.reason = aggregate_text(program_, what) +
                         (parts.outcome == Cover::Outcome::none
                              ? " cannot be put together from what IN holds"
                              : " is too hard to put together from what IN holds")};
      return false;
    }
    for (AggregateId part : parts.aggregates) copy(part, site);
    put(what, site);
    body_.actions.push_back({what, site, {}});
    return true;
  }

  const Program& program_;
  const Members& members_;
  PartsFinder finder_;
  Budget budget_;
  std::vector<SiteId> first_;  // of each aggregate: where it came to be first
  std::unordered_set<uint64_t> there_;
  Body body_;
};

}  // namespace

Body naive(const Program& preamble, const Members& members) {
  return Naive(preamble, members).run();
}

Body naive(const Program& preamble) {
  const auto members = preamble.members();
  if (!members)
    return {.reason = "a partition is given by size alone; a naive program needs its members"};
  return naive(preamble, *members);
}

}  // namespace einsummable::synthesis
