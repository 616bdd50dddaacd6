// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/synthesiser.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/physical/planner.h"
#include "einsummable/synthesis/naive.h"

namespace einsummable {
namespace {

using exchange::AggregateId;

size_t hash_of(const exchange::Program& program) {
  size_t hash = program.atoms().size();
  const auto mix = [&hash](int32_t value) {
    hash = (hash ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (const exchange::Given& given : program.given()) {
    mix(given.aggregate.value);
    mix(given.site.value);
  }
  for (const exchange::Requirement& required : program.required()) {
    mix(required.aggregate.value);
    mix(required.place.site.value);
  }
  return hash;
}

bool same_aggregate(const exchange::Program& a, const exchange::Program& b, AggregateId id) {
  return std::ranges::equal(a.atoms(id), b.atoms(id)) && a.bytes(id) == b.bytes(id) &&
         a.has_own_bytes(id) == b.has_own_bytes(id);
}

}  // namespace

bool same_but_for_names(const exchange::Program& a, const exchange::Program& b) {
  const auto same_atom = [](const exchange::Atom& x, const exchange::Atom& y) {
    return x.bytes == y.bytes && x.grain == y.grain;
  };
  const auto same_split = [](const exchange::Split& x, const exchange::Split& y) {
    return x.atom == y.atom && x.first == y.first && x.count == y.count;
  };
  const auto same_given = [](const exchange::Given& x, const exchange::Given& y) {
    return x.aggregate == y.aggregate && x.site == y.site;
  };
  const auto same_required = [](const exchange::Requirement& x, const exchange::Requirement& y) {
    return x.aggregate == y.aggregate && x.place == y.place;
  };
  if (a.sites() != b.sites() || a.partitions() != b.partitions()) return false;
  if (!std::ranges::equal(a.splits(), b.splits(), same_split)) return false;
  if (!std::ranges::equal(a.given(), b.given(), same_given)) return false;
  if (!std::ranges::equal(a.required(), b.required(), same_required)) return false;
  if (!std::ranges::equal(a.atoms(), b.atoms(), same_atom)) return false;
  if (a.aggregate_count() != b.aggregate_count()) return false;
  for (size_t i = 0; i < a.aggregate_count(); ++i) {
    if (!same_aggregate(a, b, AggregateId(static_cast<int64_t>(i)))) return false;
  }
  return true;
}

void Synthesiser::run_last() {
  ExchangeStep& step = plan_.steps.back();
  if (step.regions.empty()) return;
  const size_t hash = hash_of(step.program);
  const auto [first, last] = known_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (!same_but_for_names(known->second.preamble, step.program)) continue;
    const ExchangeStep& earlier = plan_.steps[known->second.step];
    const std::vector<std::string> names = exchange::names_in(step.program, earlier.program);
    step.program = earlier.program;
    step.program.rename_atoms(names);
    step.derivations = earlier.derivations;
    return;
  }
  exchange::Program preamble = step.program;
  schedule_.topology ? search(step) : write_naive(step);
  known_.emplace(hash, Known{std::move(preamble), plan_.steps.size() - 1});
}

void Synthesiser::write_naive(ExchangeStep& step) const {
  synthesis::Body body = synthesis::naive(step.program);
  ensure(body.ok, "a preamble without a naive program: " + body.reason);
  step.program.set_body(std::move(body.actions));
  derive(step);
}

void Synthesiser::search(ExchangeStep& step) {
  synthesis::SynthesisOptions options = schedule_.search;
  const std::chrono::duration<double> left = schedule_.deadline - std::chrono::steady_clock::now();
  options.time_limit_s = std::clamp(left.count(), 0.0, options.time_limit_s);
  synthesis::Synthesis found = synthesis::synthesize(step.program, *schedule_.topology, options);
  step.program = std::move(found.program);
  take_derivations(found.simulation.derivations, found.simulation.parts, step);
  plan_.search.cut_short |= found.cut_short;
  if (plan_.search.warning.empty()) plan_.search.warning = std::move(found.warning);
}

}  // namespace einsummable
