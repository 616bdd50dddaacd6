// SPDX-License-Identifier: Apache-2.0
// What is proved of a physical plan: its specs tile, and its exchange programs are valid.

#include <algorithm>
#include <set>

#include "einsummable/base/text.h"
#include "einsummable/exchange/closure.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

using exchange::AggregateId;
using State = std::set<std::pair<AggregateId, SiteId>>;

// Whether the parts are all there and partition the aggregate.
bool partitions(const exchange::Program& program, const State& state,
                const Derivation& derivation) {
  std::vector<exchange::AtomId> atoms;
  for (AggregateId part : derivation.parts) {
    if (!state.contains({part, derivation.site})) return false;
    const auto of_part = program.atoms(part);
    atoms.insert(atoms.end(), of_part.begin(), of_part.end());
  }
  std::ranges::sort(atoms);
  return std::ranges::equal(atoms, program.atoms(derivation.aggregate));
}

std::string where(const exchange::Program& program, AggregateId aggregate, SiteId site) {
  return exchange::aggregate_text(program, aggregate) + " @ " + std::to_string(site.value);
}

// The sends and local aggregations of the body, places resolved.
std::set<std::tuple<AggregateId, SiteId, SiteId>> sends(const exchange::Program& program,
                                                        const exchange::Members& members) {
  const auto sites = [&](exchange::Place place) {
    return place.is_site() ? std::vector<SiteId>{place.site} : members[place.partition.index()];
  };
  std::set<std::tuple<AggregateId, SiteId, SiteId>> out;
  for (const exchange::Action& action : program.body()) {
    for (SiteId from : sites(action.source)) {
      out.insert({action.aggregate, from, from});
      for (exchange::Place place : action.destinations) {
        for (SiteId to : sites(place)) out.insert({action.aggregate, from, to});
      }
    }
  }
  return out;
}

// The region that each atom is of.
std::vector<size_t> regions_of_atoms(const ExchangeStep& step) {
  std::vector<size_t> regions(step.program.atoms().size(), step.regions.size());
  for (size_t r = 0; r < step.regions.size(); ++r) {
    for (exchange::AtomId atom : step.regions[r].atoms) regions[atom.index()] = r;
  }
  return regions;
}

// Replays the derivations (Definition 5.5); gives the first thing that does not hold.
std::string replay(const ExchangeStep& step, int64_t& count) {
  const exchange::Program& program = step.program;
  const auto members = program.members();
  if (!members) return "a group of sites is open";
  const auto body = sends(program, *members);
  const std::vector<size_t> regions = regions_of_atoms(step);
  State state;
  for (const exchange::Given& given : program.given()) state.insert({given.aggregate, given.site});
  for (const Derivation& derivation : step.derivations) {
    ++count;
    const auto atoms = program.atoms(derivation.aggregate);
    for (exchange::AtomId atom : atoms) {
      if (regions[atom.index()] == regions[atoms[0].index()]) continue;
      return where(program, derivation.aggregate, derivation.site) + " mixes regions";
    }
    const bool received = derivation.source.valid();
    const bool sound =
        received ? state.contains({derivation.aggregate, derivation.source}) &&
                       body.contains({derivation.aggregate, derivation.source, derivation.site})
                 : partitions(program, state, derivation) &&
                       body.contains({derivation.aggregate, derivation.site, derivation.site});
    if (!sound) return where(program, derivation.aggregate, derivation.site) + " cannot be derived";
    if (!state.insert({derivation.aggregate, derivation.site}).second) {
      return where(program, derivation.aggregate, derivation.site) + " is derived twice";
    }
  }
  for (const auto& [aggregate, from, to] : body) {
    if (!state.contains({aggregate, from}) || !state.contains({aggregate, to})) {
      return "an action on " + where(program, aggregate, from) + " never fires";
    }
  }
  for (const exchange::Requirement& required : program.required()) {
    const auto sites = required.place.is_site() ? std::vector<SiteId>{required.place.site}
                                                : (*members)[required.place.partition.index()];
    for (SiteId site : sites) {
      if (!state.contains({required.aggregate, site})) {
        return where(program, required.aggregate, site) + " is required and never there";
      }
    }
  }
  return "";
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
    const std::string reason = replay(step, check.count);
    if (reason.empty()) continue;
    const std::string of = step.save < 0 ? plan.graph->op(step.op).name
                                         : plan.graph->saves()[static_cast<size_t>(step.save)].name;
    check.detail = "the exchange program of " + quote(of) + ": " + reason;
    return;
  }
}

}  // namespace einsummable
