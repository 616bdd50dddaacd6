// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/checker.h"

#include <algorithm>

#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/members.h"
#include "einsummable/exchange/well_formed.h"

namespace einsummable::exchange {
namespace {

constexpr std::string_view too_hard_reason =
    "too hard: the ways to put its aggregates together are too many to search";

Verdict invalid(std::string reason) { return {.reason = std::move(reason)}; }
Verdict too_hard() {
  return {.outcome = Verdict::Outcome::too_hard, .reason = std::string(too_hard_reason)};
}

// What "X @ s" must hold for; where that is at each member of a partition, for every one.
template <class Visit>
bool all_sites(Place place, const Members& members, Visit visit) {
  if (place.is_site()) return visit(place.site);
  return std::ranges::all_of(members[place.partition.index()], visit);
}

class Checker {
 public:
  Checker(const Program& program, const CheckOptions& options)
      : program_(program), options_(options), budget_(options.budget) {}

  Verdict run() {
    if (auto reason = settle_members()) return invalid(std::move(*reason));
    return open_.empty() ? check_with(members_) : search();
  }

 private:
  // Takes the members that are declared or given. Says what is wrong with those given.
  std::optional<std::string> settle_members();
  Verdict check_with(const Members& members);
  std::optional<std::string> first_fault(Closure& closure, const Members& members);
  Verdict search();
  bool open_acts() const;
  std::vector<std::vector<bool>> eligible(const std::vector<SiteId>& free, Closure& most);
  std::string infeasible(const std::vector<std::vector<bool>>& eligible) const;

  const Program& program_;
  const CheckOptions& options_;
  Budget budget_;
  Members members_;
  std::vector<PartitionId> open_;
  std::vector<SiteId> free_;  // the sites of no settled partition
};

std::optional<std::string> Checker::settle_members() {
  const auto& partitions = program_.partitions();
  if (!options_.members.empty() && options_.members.size() != partitions.size()) {
    return "members are given for " + std::to_string(options_.members.size()) + " partitions of " +
           std::to_string(partitions.size());
  }
  std::vector<SiteId> taken;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const Partition& g = partitions[i];
    std::vector<SiteId> members = g.members;
    if (!options_.members.empty() && !options_.members[i].empty()) {
      members = options_.members[i];
      std::sort(members.begin(), members.end());
      const std::string of = "the members given for partition " + name_text(g.name);
      if (!g.open() && members != g.members) return of + " are not those it declares";
      if (static_cast<int64_t>(members.size()) != g.size) {
        return of + " are " + std::to_string(members.size()) + " sites, but its size is " +
               std::to_string(g.size);
      }
      for (SiteId s : members) {
        if (!std::ranges::binary_search(program_.sites(), s)) {
          return of + " name site " + std::to_string(s.value) + ", which is not declared";
        }
      }
    }
    if (members.empty()) open_.emplace_back(static_cast<int64_t>(i));
    taken.insert(taken.end(), members.begin(), members.end());
    members_.push_back(std::move(members));
  }
  std::sort(taken.begin(), taken.end());
  const auto twice = std::adjacent_find(taken.begin(), taken.end());
  if (twice != taken.end()) {
    return "the members given put site " + std::to_string(twice->value) + " into two partitions";
  }
  std::ranges::set_difference(program_.sites(), taken, std::back_inserter(free_));
  return std::nullopt;
}

std::optional<std::string> Checker::first_fault(Closure& closure, const Members& members) {
  for (const Action& action : program_.body()) {
    std::optional<SiteId> stuck;
    all_sites(action.source, members, [&](SiteId s) {
      budget_.spend_steps(4);
      if (closure.find(action.aggregate, s) != nullptr) return !budget_.spent();
      stuck = s;
      return false;
    });
    if (!stuck) continue;
    return aggregate_text(program_, action.aggregate) + " @ " + std::to_string(stuck->value) +
           " can never fire: " + closure.missing(action.aggregate, *stuck, budget_);
  }
  for (const Requirement& need : program_.required()) {
    std::optional<SiteId> unmet;
    all_sites(need.place, members, [&](SiteId s) {
      budget_.spend_steps(4);
      if (closure.find(need.aggregate, s) != nullptr) return !budget_.spent();
      unmet = s;
      return false;
    });
    if (!unmet) continue;
    return "OUT is not met: " + aggregate_text(program_, need.aggregate) + " is never at " +
           std::to_string(unmet->value);
  }
  return std::nullopt;
}

Verdict Checker::check_with(const Members& members) {
  Closure closure(program_, members, budget_);
  if (!closure.complete()) return too_hard();
  auto fault = first_fault(closure, members);
  if (fault) return invalid(std::move(*fault));
  if (budget_.spent()) return too_hard();
  return {.outcome = Verdict::Outcome::valid,
          .members = members,
          .uniform = closure.uniform(),
          .derivations = closure.in_firing_order(),
          .parts = closure.parts()};
}

// Whether actions name open partitions, so that the closure depends on their members.
bool Checker::open_acts() const {
  const auto is_open = [&](Place p) {
    return !p.is_site() && members_[p.partition.index()].empty();
  };
  return std::ranges::any_of(program_.body(), [&](const Action& a) {
    return is_open(a.source) || std::ranges::any_of(a.destinations, is_open);
  });
}

// Which free sites may be in which open partition: those where its requirements, and what it
// aggregates, are in `most`, the closure if every free site were in every open partition.
std::vector<std::vector<bool>> Checker::eligible(const std::vector<SiteId>& free, Closure& most) {
  std::vector<int32_t> column(program_.partitions().size(), -1);
  for (size_t g = 0; g < open_.size(); ++g) column[open_[g].index()] = static_cast<int32_t>(g);
  std::vector<std::vector<bool>> may(free.size(), std::vector<bool>(open_.size(), true));
  const auto need = [&](AggregateId aggregate, Place place) {
    if (place.is_site() || column[place.partition.index()] < 0) return;
    const auto g = static_cast<size_t>(column[place.partition.index()]);
    budget_.spend_steps(4 * static_cast<int64_t>(free.size()));
    for (size_t s = 0; s < free.size() && !budget_.spent(); ++s) {
      if (most.find(aggregate, free[s]) == nullptr) may[s][g] = false;
    }
  };
  for (const Requirement& r : program_.required()) need(r.aggregate, r.place);
  for (const Action& a : program_.body()) need(a.aggregate, a.source);
  return may;
}

std::string Checker::infeasible(const std::vector<std::vector<bool>>& may) const {
  for (size_t g = 0; g < open_.size(); ++g) {
    const auto count = std::ranges::count_if(may, [&](const auto& row) { return row[g]; });
    const Partition& partition = program_.partition(open_[g]);
    if (count >= partition.size) continue;
    std::string what;
    const auto name_first = [&](AggregateId x, Place place) {
      if (what.empty() && place == Place(open_[g])) what = aggregate_text(program_, x);
    };
    for (const Requirement& r : program_.required()) name_first(r.aggregate, r.place);
    for (const Action& a : program_.body()) name_first(a.aggregate, a.source);
    return "no choice of members works: partition " + name_text(partition.name) + " (size " +
           std::to_string(partition.size) + ") must hold " + what + ", and " +
           std::to_string(count) + (count == 1 ? " site" : " sites") + " can";
  }
  return "no choice of members works: the sites that can serve the partitions do not go round";
}

Verdict Checker::search() {
  Members most_members = members_;
  for (PartitionId g : open_) most_members[g.index()] = free_;
  std::vector<std::vector<bool>> may;
  {
    Closure most(program_, most_members, budget_);
    if (!most.complete()) return too_hard();
    may = eligible(free_, most);
  }
  std::vector<int64_t> sizes;
  for (PartitionId g : open_) sizes.push_back(program_.partition(g).size);
  MemberSearch choices(may, sizes, budget_);
  std::optional<Verdict> first;
  for (int64_t tried = 0; tried < options_.tries; ++tried) {
    const auto groups = choices.next();
    if (budget_.spent()) return too_hard();
    if (!groups) return first ? *first : invalid(infeasible(may));
    Members members = members_;
    for (size_t s = 0; s < groups->size(); ++s) {
      members[open_[static_cast<size_t>((*groups)[s])].index()].push_back(free_[s]);
    }
    Verdict verdict = check_with(members);
    if (verdict.outcome != Verdict::Outcome::invalid || !open_acts()) return verdict;
    if (!first) {
      first = invalid("no choice of members works; with the first, " + verdict.reason);
    }
  }
  Verdict verdict = too_hard();
  verdict.reason = "too hard: none of the first " + std::to_string(options_.tries) +
                   " choices of members works, and there are more";
  return verdict;
}

}  // namespace

std::string derivations_text(const Program& program, const Verdict& verdict) {
  std::string text;
  for (const Derivation& d : verdict.derivations) {
    text += std::to_string(d.round) + ": " + aggregate_text(program, d.aggregate) + " @ " +
            std::to_string(d.site.value);
    if (d.kind == Derivation::Kind::received) text += " <- " + std::to_string(d.source.value);
    if (d.kind == Derivation::Kind::aggregated) text += " =";
    for (AggregateId part : verdict.parts_of(d)) text += " " + aggregate_text(program, part);
    text += '\n';
  }
  return text;
}

Verdict check(const Program& program, const CheckOptions& options) {
  if (auto fault = ill_formed(program)) return invalid(std::move(fault->reason));
  if (program.splits().empty()) return Checker(program, options).run();
  const Program pieces = expand(program);
  return Checker(pieces, options).run();
}

}  // namespace einsummable::exchange
