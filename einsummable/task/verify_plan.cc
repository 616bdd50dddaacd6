// SPDX-License-Identifier: Apache-2.0
// What is proved of a physical plan: its specs tile, and its exchange programs are valid.

#include <algorithm>
#include <utility>

#include "einsummable/base/text.h"
#include "einsummable/physical/pieces.h"
#include "einsummable/task/by_aggregate.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

using exchange::AggregateId;

// From where an action of the body sends, and to where; the same site twice: it aggregates there.
using Send = std::pair<SiteId, SiteId>;

// Places, resolved.
class Sites {
 public:
  explicit Sites(const exchange::Members& members) : members_(members) {}

  std::span<const SiteId> operator()(const exchange::Place& place) const {
    if (place.is_site()) return {&place.site, 1};
    return members_[place.partition.index()];
  }

 private:
  const exchange::Members& members_;
};

// The sends and local aggregations of the body.
ByAggregate<Send> sends(const exchange::Program& program, const Sites& sites) {
  std::vector<ByAggregate<Send>::Entry> out;
  for (const exchange::Action& action : program.body()) {
    for (SiteId from : sites(action.source)) {
      out.push_back({action.aggregate, {from, from}});
      for (const exchange::Place& place : action.destinations) {
        for (SiteId to : sites(place)) out.push_back({action.aggregate, {from, to}});
      }
    }
  }
  return {program.aggregate_count(), out};
}

// The region that each atom is of.
std::vector<size_t> regions_of_atoms(const ExchangeStep& step) {
  std::vector<size_t> regions(step.program.atoms().size(), step.regions.size());
  for (size_t r = 0; r < step.regions.size(); ++r) {
    for (exchange::AtomId atom : step.regions[r].atoms) regions[atom.index()] = r;
  }
  return regions;
}

std::string where(const exchange::Program& program, AggregateId aggregate, SiteId site) {
  return exchange::aggregate_text(program, aggregate) + " @ " + std::to_string(site.value);
}

// Replays the derivations of a step (Definition 5.5).
class Replay {
 public:
  Replay(const ExchangeStep& step, const exchange::Members& members)
      : step_(step),
        program_(step.program),
        sites_(members),
        sends_(sends(program_, sites_)),
        arrivals_(arrivals(step)),
        there_(arrivals_.size(), 0),
        regions_(regions_of_atoms(step)) {}

  // The first thing that does not hold; nothing if all do.
  std::string run(int64_t& count) {
    for (const exchange::Given& given : program_.given()) arrive(given.aggregate, given.site);
    for (const Derivation& made : step_.derivations) {
      ++count;
      const auto fails = [&](const char* how) {
        return where(program_, made.aggregate, made.site) + how;
      };
      if (mixes_regions(made.aggregate)) return fails(" mixes regions");
      if (!follows(made)) return fails(" cannot be derived");
      if (!arrive(made.aggregate, made.site)) return fails(" is derived twice");
    }
    const std::string unfired = first_unfired();
    return unfired.empty() ? first_missing() : unfired;
  }

 private:
  bool is_there(AggregateId aggregate, SiteId site) const {
    const int32_t arrival = arrivals_.find(aggregate, site);
    return arrival >= 0 && there_[static_cast<size_t>(arrival)];
  }

  // Records that the aggregate is at the site; false if it was.
  bool arrive(AggregateId aggregate, SiteId site) {
    char& there = there_[static_cast<size_t>(arrivals_.find(aggregate, site))];
    return !std::exchange(there, 1);
  }

  bool mixes_regions(AggregateId aggregate) const {
    const auto atoms = program_.atoms(aggregate);
    return std::ranges::any_of(atoms, [&](exchange::AtomId atom) {
      return regions_[atom.index()] != regions_[atoms[0].index()];
    });
  }

  // Whether an action of the body makes it of what is there.
  bool follows(const Derivation& made) const {
    if (made.source.valid()) {
      return is_there(made.aggregate, made.source) &&
             sends_.contains(made.aggregate, {made.source, made.site});
    }
    return partitions(made) && sends_.contains(made.aggregate, {made.site, made.site});
  }

  // Whether the parts are all there and partition the aggregate.
  bool partitions(const Derivation& made) const {
    std::vector<exchange::AtomId> atoms;
    for (AggregateId part : made.parts) {
      if (!is_there(part, made.site)) return false;
      const auto of_part = program_.atoms(part);
      atoms.insert(atoms.end(), of_part.begin(), of_part.end());
    }
    std::ranges::sort(atoms);
    return std::ranges::equal(atoms, program_.atoms(made.aggregate));
  }

  std::string first_unfired() const {
    for (size_t i = 0; i < program_.aggregate_count(); ++i) {
      const AggregateId aggregate(static_cast<int64_t>(i));
      for (const auto& [from, to] : sends_.of(aggregate)) {
        if (is_there(aggregate, from) && is_there(aggregate, to)) continue;
        return "an action on " + where(program_, aggregate, from) + " never fires";
      }
    }
    return "";
  }

  std::string first_missing() const {
    for (const exchange::Requirement& required : program_.required()) {
      for (SiteId site : sites_(required.place)) {
        if (is_there(required.aggregate, site)) continue;
        return where(program_, required.aggregate, site) + " is required and never there";
      }
    }
    return "";
  }

  const ExchangeStep& step_;
  const exchange::Program& program_;
  Sites sites_;
  ByAggregate<Send> sends_;
  ByAggregate<SiteId> arrivals_;
  std::vector<char> there_;  // of each arrival: whether it has been
  std::vector<size_t> regions_;
};

std::string replay(const ExchangeStep& step, int64_t& count) {
  const auto members = step.program.members();
  if (!members) return "a group of sites is open";
  return Replay(step, *members).run(count);
}

}  // namespace

void check_tiling(const PhysicalPlan& plan, Check& check, const Interruption& interruption) {
  for (size_t i = 0; i < plan.specs.size(); ++i) {
    interruption.check();
    const GraphOp& op = plan.graph->ops()[i];
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      ++check.count;
      const Box& bounds = plan.graph->type(op.outputs[o]).bounds;
      if (!tiles(plan.specs[i].output(o), bounds)) {
        check.detail = "the blocks of output " + std::to_string(o) + " of " + quote(op.name) +
                       " do not tile it";
        return;
      }
    }
    std::vector<SiteId> sites = plan.placement[i];
    std::ranges::sort(sites);
    const bool distinct = std::ranges::adjacent_find(sites) == sites.end();
    const bool legal =
        sites.empty() || (sites.front().value >= 0 && sites.back().value < plan.sites);
    if (!distinct || !legal || static_cast<int64_t>(sites.size()) != plan.specs[i].cells()) {
      check.detail = "the cells of " + quote(op.name) + " are not each at a site of its own";
      return;
    }
  }
}

void check_closure(const PhysicalPlan& plan, Check& check, const Interruption& interruption) {
  for (const ExchangeStep& step : plan.steps) {
    interruption.check();
    const std::string reason = replay(*StepInPieces(step), check.count);
    if (reason.empty()) continue;
    const std::string of = step.save < 0 ? plan.graph->op(step.op).name
                                         : plan.graph->saves()[static_cast<size_t>(step.save)].name;
    check.detail = "the exchange program of " + quote(of) + ": " + reason;
    return;
  }
}

}  // namespace einsummable
