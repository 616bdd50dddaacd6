// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "einsummable/base/error.h"
#include "einsummable/exchange/bounds_flow.h"
#include "einsummable/exchange/well_formed.h"

namespace einsummable::exchange {
namespace {

constexpr size_t most_memberships = 3'000;
constexpr int32_t most_flow_bounds = 60;

// The members of each partition; of open ones those given, or none.
Members known_members(const Program& program, const BoundOptions& options) {
  Members out;
  for (size_t i = 0; i < program.partitions().size(); ++i) {
    const Partition& partition = program.partitions()[i];
    const bool given = i < options.members.size() && !options.members[i].empty();
    out.push_back(given ? options.members[i] : partition.members);
    if (given && std::ssize(options.members[i]) != partition.size) {
      throw ExchangeError("partition " + name_text(partition.name) + " has size " +
                          std::to_string(partition.size) + ", but members for it are " +
                          std::to_string(options.members[i].size()));
    }
  }
  return out;
}

// Every way to put the sites that are in no partition yet into the open ones that OUT names. None
// if there are too many, or no open ones.
std::vector<Members> memberships(const Program& program, const Members& known) {
  std::vector<int32_t> open;
  for (const Requirement& requirement : program.required()) {
    if (requirement.place.is_site()) continue;
    const PartitionId id = requirement.place.partition;
    if (known[id.index()].empty()) open.push_back(id.value);
  }
  std::ranges::sort(open);
  open.erase(std::unique(open.begin(), open.end()), open.end());
  if (open.empty()) return {};
  std::vector<SiteId> sites;
  for (SiteId site : program.sites()) {
    const auto has = [&](const std::vector<SiteId>& members) {
      return std::ranges::find(members, site) != members.end();
    };
    if (std::ranges::none_of(known, has)) sites.push_back(site);
  }
  std::vector<int32_t> group;  // of each of these sites: a partition, or past all
  for (int32_t id : open) {
    const auto size = program.partitions()[static_cast<size_t>(id)].size;
    group.insert(group.end(), static_cast<size_t>(size), id);
  }
  if (group.size() > sites.size()) return {};
  group.resize(sites.size(), std::numeric_limits<int32_t>::max());
  std::vector<Members> out;
  do {
    if (out.size() == most_memberships) return {};
    Members members = known;
    for (size_t i = 0; i < sites.size(); ++i) {
      if (static_cast<size_t>(group[i]) < members.size()) {
        members[static_cast<size_t>(group[i])].push_back(sites[i]);
      }
    }
    out.push_back(std::move(members));
  } while (std::next_permutation(group.begin(), group.end()));
  return out;
}

std::string flow_text(const Program& program, const CutTable& cuts,
                      const std::vector<Demand>& demands, const FlowBound& flow) {
  if (flow.exact) return "exact flow";
  if (flow.finished < 0) return "flow over every cut";
  std::string out = "first finisher of " +
                    aggregate_text(program, demands[static_cast<size_t>(flow.finished)].example);
  std::vector<std::string> sites;
  for (size_t place = 0; place < flow.first.size(); ++place) {
    if (flow.first[place] < 1e-3) continue;
    sites.push_back(std::to_string(cuts.places().sites[place][0]));
  }
  out += sites.size() == 1 ? ": site " : ": sites ";
  for (size_t i = 0; i < sites.size(); ++i) out += (i == 0 ? "" : ", ") + sites[i];
  return out;
}

// A bound for known members, and what it takes to say more of it.
struct Candidate {
  Members members;
  std::vector<Demand> demands;
  Proof proof;
};

Candidate quick(const Program& program, const CutTable& cuts, Members members, bool ideal) {
  std::vector<Demand> demands = find_demands(program, cuts.places(), members);
  const Proof proof = cuts.prove(demands, ideal);
  return {std::move(members), std::move(demands), proof};
}

std::vector<Candidate> quick_all(const Program& program, const CutTable& cuts,
                                 const BoundOptions& options) {
  const Members known = known_members(program, options);
  std::vector<Candidate> out;
  for (Members& members : memberships(program, known)) {
    out.push_back(quick(program, cuts, std::move(members), options.ideal));
  }
  if (out.empty()) out.push_back(quick(program, cuts, known, options.ideal));
  std::ranges::stable_sort(out, {}, [](const Candidate& c) { return c.proof.ms; });
  return out;
}

// The larger of a candidate's bound and that by flows; the latter only up to `enough`.
Bound by_flow(const Program& program, const CutTable& cuts, const Candidate& candidate,
              double enough_ms, bool ideal) {
  Bound out{candidate.proof.ms, cuts.text(candidate.proof), candidate.members};
  const double latency_ms = ideal ? 0 : cuts.least_latency_ms();
  const auto flow = flow_bound(cuts.places(), cuts.topology(), candidate.demands,
                               {.enough_ms = enough_ms - latency_ms});
  if (!flow || flow->ms <= 0) return out;
  // What rounding adds is no proof.
  const double ms = flow->ms * (1 - 1e-6) + latency_ms;
  if (ms > out.ms * (1 + 1e-5)) {
    out.ms = ms;
    out.proof = flow_text(program, cuts, candidate.demands, *flow);
  }
  return out;
}

}  // namespace

Bound quick_bound(const Program& preamble, const CutTable& cuts, const BoundOptions& options) {
  const Candidate least = std::move(quick_all(preamble, cuts, options).front());
  return {least.proof.ms, cuts.text(least.proof), least.members};
}

Bound lower_bound(const Program& preamble, const Topology& topology, const BoundOptions& options) {
  if (const auto fault = ill_formed(preamble)) throw ExchangeError(fault->reason);
  CutTable cuts(topology, preamble.sites());
  const std::vector<Candidate> candidates = quick_all(preamble, cuts, options);
  Bound least{.ms = std::numeric_limits<double>::infinity()};
  int32_t flows = 0;
  for (const Candidate& candidate : candidates) {
    // Ascending: what is left is no less than this.
    if (flows > 0 && candidate.proof.ms >= least.ms) break;
    if (flows++ == most_flow_bounds) {
      return {candidate.proof.ms, cuts.text(candidate.proof), candidate.members};
    }
    Bound bound = by_flow(preamble, cuts, candidate, least.ms, options.ideal);
    if (bound.ms < least.ms || &candidate == &candidates.front()) least = std::move(bound);
  }
  return least;
}

}  // namespace einsummable::exchange
