// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "einsummable/exchange/parts.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// How an aggregate comes to be at a site.
struct Derivation {
  enum class Kind : uint8_t { given, aggregated, received };

  AggregateId aggregate;
  SiteId site;
  Kind kind = Kind::given;
  int32_t round = 0;       // of firing, see Closure
  SiteId source = {};      // received: from here
  int32_t first_part = 0;  // aggregated: from parts()[first_part ..], which are at the site
  int32_t part_count = 0;
};

// The closure of a program without splits (Definition 5.5), and one derivation of everything in it.
//
// Firing order is by rounds: IN is there in round 0, and in round r all actions fire that the state
// after round r - 1 enables; what is aggregated in a round is also sent in it. Nothing depends on
// the order of actions. An aggregate is aggregated from the parts that are at the site when it is
// first enabled there: the fewest, ties by name; but at every site from the same parts where the
// program allows it, so that replicas are equal bit for bit (uniform() says whether it does). What
// a site has is not derived again; in one round aggregating comes before receiving, and low sources
// first.
//
// An aggregate only ever depends on itself at other sites and on smaller aggregates, so aggregates
// are derived by size.
class Closure {
 public:
  // `members` gives the sites of each partition. They may overlap, for what could be there at most.
  Closure(const Program& program, const Members& members, Budget& budget);

  // False if the budget was spent; the closure is then not complete.
  bool complete() const { return complete_; }
  bool uniform() const { return uniform_; }
  const Derivation* find(AggregateId aggregate, SiteId site) const;
  // Of one aggregate, by site.
  std::span<const Derivation> derivations(AggregateId aggregate) const;
  // In firing order: parts and sources come before what is derived from them.
  std::vector<Derivation> in_firing_order() const;
  const std::vector<AggregateId>& parts() const { return parts_; }
  // Why the aggregate can never be enabled at the site: which atoms are missing.
  std::string missing(AggregateId aggregate, SiteId site, Budget& budget);

 private:
  // A way to aggregate at one site.
  struct Forming {
    SiteId site;
    int32_t round = 0;
    std::vector<AggregateId> parts = {};
    bool differs = false;  // from the parts at other sites
  };
  struct Send {
    SiteId source;
    int32_t action = 0;
    auto operator<=>(const Send&) const = default;
  };

  void group();
  void derive(AggregateId aggregate);
  std::vector<Forming> formings(AggregateId aggregate);
  std::optional<Forming> forming_at(AggregateId whole, SiteId site,
                                    std::span<const AggregateId> candidates);
  Parts earliest(AggregateId whole, std::vector<std::pair<int32_t, AggregateId>>& rounds);
  void unify(AggregateId whole, std::vector<Forming>& formings,
             std::span<const AggregateId> candidates);
  // The round after the last of the parts at the site; -1 if one is not there.
  int32_t round_after(std::span<const AggregateId> parts, SiteId site);
  void spread(AggregateId aggregate, std::vector<Forming>& formings);
  template <class Visit>
  void each_site(Place place, Visit visit) const;

  const Program& program_;
  const Members& members_;
  Budget& budget_;
  PartsFinder finder_;
  bool complete_ = true;
  bool uniform_ = true;
  std::vector<int32_t> given_begin_, action_begin_;  // of each aggregate, and the end
  std::vector<SiteId> given_;                        // by aggregate
  std::vector<int32_t> actions_;                     // by aggregate
  std::vector<Send> sends_;                          // of the aggregate at work, by source
  std::vector<int32_t> seen_;                        // of each site: the aggregate that saw it last
  std::vector<Derivation> all_;                      // by aggregate as derived, then by site
  std::vector<std::pair<int32_t, int32_t>> range_;   // of each aggregate in all_
  std::vector<AggregateId> parts_;
};

}  // namespace einsummable::exchange
