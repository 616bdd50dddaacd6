// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/synthesize.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "einsummable/base/error.h"
#include "einsummable/exchange/bounds.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/synthesis/appraise.h"
#include "einsummable/synthesis/cache.h"
#include "einsummable/synthesis/direct.h"
#include "einsummable/synthesis/grouping.h"
#include "einsummable/synthesis/naive.h"
#include "einsummable/synthesis/order.h"
#include "einsummable/synthesis/packing.h"
#include "einsummable/synthesis/pieces.h"
#include "einsummable/synthesis/polish.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

// A way to serve a preamble: who goes along which trees.
struct Approach {
  std::vector<Commodity> commodities;
  Packing packing;
  bool whole = false;  // nothing is cut
};

// An approach cut into pieces, and the best order found.
struct Trial {
  size_t approach = 0;
  double q = 0;
  Pieces pieces;
  Candidate candidate;
  Order order;
};

class Search {
 public:
  Search(Program preamble, Members members, const Topology& topology,
         const SynthesisOptions& options, double bound_ms)
      : preamble_(std::move(preamble)),
        members_(std::move(members)),
        topology_(topology),
        options_(options),
        bound_(bound_ms),
        network_(topology, preamble_.sites()),
        loop_(topology, options.ideal ? Latencies::none : Latencies::stated),
        orders_(topology, loop_, options.budget, work_a_simulation(preamble_), options.seed,
                options.interruption) {}

  // Programs of less than `to_beat` ms, the best of each approach, the best one first.
  std::vector<Program> run(double to_beat) {
    add_approaches();
    best_.resize(approaches_.size());
    for (size_t a = 0; a < approaches_.size(); ++a) probe(a);
    polish();
    shuffle();
    std::ranges::stable_sort(best_, {}, [](const Trial& t) { return t.order.ms; });
    std::vector<Program> programs;
    for (const Trial& t : best_) {
      if (t.order.ms >= to_beat) break;
      programs.push_back(program_of(preamble_, network_, t.pieces, t.candidate, t.order.transfers));
    }
    return programs;
  }

  double packing_ms() const { return packing_ms_; }
  int64_t simulations() const { return options_.budget - orders_.left(); }
  bool cut_short() const { return cut_short_; }

 private:
  void add_approaches() {
    Commodities read = commodities_of(preamble_, members_);
    ensure(read.ok, "what has a naive program can be met");
    std::vector<Commodity>& commodities = read.commodities;
    if (commodities.empty()) return;
    // A second for 200 simulations; fewer steps for many sites, whose simulations take longer.
    const double steps = 5e6 * std::min(1.0, 16.0 / network_.sites());
    PackingOptions packing{.work = steps * static_cast<double>(options_.budget),
                           .interruption = options_.interruption};
    if (!options_.ideal) packing.slacks = {1e-3, 0.05, 0.3, 1};
    // What is handed over loads nothing that trees could share out.
    if (!topology_.handover) {
      for (Packing& p : pack(network_, commodities, packing)) {
        packing_ms_ = packing_ms_ == 0 ? p.ms : std::min(packing_ms_, p.ms);
        approaches_.push_back({commodities, std::move(p)});
      }
      if (options_.ideal && !approaches_.empty()) return;
    }
    if (auto p = fastest_ways(network_, commodities))
      approaches_.push_back({commodities, std::move(*p), true});
    if (auto split = summed_at_targets(commodities)) {
      if (auto p = straight(network_, *split))
        approaches_.push_back({std::move(*split), std::move(*p), true});
    }
  }

  double good_enough() const { return 1.01 * bound_; }
  bool done() {
    options_.interruption.check();
    if (clock_.expired(options_.time_limit_s)) cut_short_ = true;
    return cut_short_ || orders_.spent() ||
           (!trials_.empty() && trials_[0].order.ms <= good_enough());
  }

  static int64_t largest(const Approach& approach) {
    int64_t bytes = 1;
    for (const Commodity& c : approach.commodities) {
      for (const Demand& d : c.demands) bytes = std::max(bytes, d.bytes);
    }
    return bytes;
  }

  // Cuts finer and finer while that helps. After the first approach, from a little coarser than
  // what was best so far.
  void probe(size_t number) {
    const Approach& approach = approaches_[number];
    const Cutter cutter(preamble_, approach.commodities, approach.packing);
    constexpr double better = 0.998, far = 1.05, coarser = 4;
    const bool first = trials_.empty();
    double q = first ? coarser * static_cast<double>(largest(approach)) : coarser * trials_[0].q;
    double least = no_way;
    int idle = 0;
    size_t last = 0;
    const auto patience = [&] { return !first ? 1 : least > far * approach.packing.ms ? 5 : 2; };
    for (int level = 0; level < 24 && idle < patience() && !done(); ++level, q /= 2) {
      Trial trial{
          .approach = number, .q = q, .pieces = cutter.cut(q), .candidate = {}, .order = {}};
      trial.candidate =
          candidate_of(preamble_, network_, approach.commodities, approach.packing, trial.pieces);
      const size_t transfers = trial.candidate.steps.size();
      if (level > 0 && transfers == last) continue;
      if (level > 0 && transfers > transfer_limit()) break;
      last = transfers;
      trial.order = orders_.quick(trial.candidate, good_enough());
      idle = trial.order.ms < better * least ? 0 : idle + 1;
      least = std::min(least, trial.order.ms);
      keep(std::move(trial));
      // Pieces of what is handed over would have to be put together again.
      if (approach.whole || topology_.handover) break;
    }
  }

  // More transfers than this take too long for what they may gain.
  size_t transfer_limit() const { return 4 * static_cast<size_t>(work_a_simulation(preamble_)); }

  // 8 sites take half a second.
  static int64_t work_a_simulation(const Program& preamble) {
    constexpr int64_t least = 2'048, each_site = 256, most = 8'192;
    return std::clamp(each_site * static_cast<int64_t>(preamble.sites().size()), least, most);
  }

  // Keeps the best trials, for polish(), and the best of each approach.
  void keep(Trial trial) {
    constexpr size_t kept = 2;
    keep_best(trial);
    const auto at = std::ranges::upper_bound(trials_, trial.order.ms, {},
                                             [](const Trial& t) { return t.order.ms; });
    trials_.insert(at, std::move(trial));
    if (trials_.size() > kept) trials_.pop_back();
  }

  void keep_best(const Trial& trial) {
    Trial& best = best_[trial.approach];
    if (trial.order.ms < best.order.ms) best = trial;
  }

  void polish() {
    for (Trial& trial : trials_) {
      if (done()) return;
      Order order = orders_.thorough(trial.candidate, good_enough());
      if (order.ms >= trial.order.ms) continue;
      trial.order = std::move(order);
      keep_best(trial);
    }
    std::ranges::stable_sort(trials_, {}, [](const Trial& t) { return t.order.ms; });
  }

  // Random orders of the best, while they help.
  void shuffle() {
    constexpr int at_once = 4;
    constexpr double better = 0.999;
    if (trials_.empty()) return;
    Trial& best = trials_[0];
    for (double last = no_way; best.order.ms < better * last && !done();) {
      last = best.order.ms;
      Order order = orders_.random(best.candidate, good_enough(), at_once);
      if (order.ms < best.order.ms) best.order = std::move(order);
    }
    keep_best(best);
  }

  struct Clock {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    bool expired(double seconds) const {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
             seconds;
    }
  };

  Program preamble_;
  Members members_;
  const Topology& topology_;
  const SynthesisOptions& options_;
  double bound_;
  Clock clock_;
  Network network_;
  SimulatorLoop loop_;
  OrderSearch orders_;
  std::vector<Approach> approaches_;
  std::vector<Trial> trials_;  // the best, by time
  std::vector<Trial> best_;    // of each approach
  double packing_ms_ = 0;
  bool cut_short_ = false;
};

// Throws ExchangeError unless every member given is a site of the program, and of one partition.
void check_members(const Program& preamble, const Members& members) {
  std::vector<SiteId> all;
  for (const auto& group : members) all.insert(all.end(), group.begin(), group.end());
  std::ranges::sort(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string site = "the members given name site " + std::to_string(all[i].value);
    if (!std::ranges::binary_search(preamble.sites(), all[i])) {
      throw ExchangeError(site + ", which is not declared");
    }
    if (i > 0 && all[i] == all[i - 1]) throw ExchangeError(site + " twice");
  }
}

// The members of every partition: those asked for, those declared, those chosen.
Members all_members(const Program& preamble, const Topology& topology, const CutTable& cuts,
                    const SynthesisOptions& options) {
  Members members = options.members;
  members.resize(preamble.partitions().size());
  bool open = false;
  for (size_t g = 0; g < members.size(); ++g) {
    const Partition& partition = preamble.partitions()[g];
    if (!partition.open()) members[g] = partition.members;
    open = open || members[g].empty();
  }
  check_members(preamble, members);
  if (!open) return members;
  const Bound bound = quick_bound(preamble, cuts, {.ideal = options.ideal, .members = members});
  return choose_members(preamble, topology, members, {.good_enough_ms = 1.001 * bound.ms});
}

// Improves a short program by the rules of section 5.4, where simulations are left.
void rewrite(const Topology& topology, const SynthesisOptions& options, Synthesis& result) {
  constexpr size_t longest = 64;
  constexpr int64_t most = 60;
  constexpr double seconds = 1e-3;
  const int64_t left = std::min(most, options.budget - result.simulations);
  if (left <= 0 || result.program.body().size() > longest || result.gap() <= 0.01) return;
  const auto simulated = [&](const Program& program, const Members& members) {
    return simulate(program, topology, {.ideal = options.ideal, .members = members});
  };
  const Polished polished = polish(result.program, result.members,
                                   [&](const Program& program, const Members& members) {
                                     try {
                                       const Simulation simulation = simulated(program, members);
                                       return simulation.uniform ? simulation.ms * seconds : no_way;
                                     } catch (const TopologyError&) {
                                       return no_way;  // there is no way for some transfer
                                     }
                                   },
                                   {.evaluations = left,
                                    .seed = options.seed,
                                    .good_enough = 1.01 * result.bound_ms * seconds,
                                    .seconds = result.ms * seconds});
  result.simulations += polished.evaluations;
  if (polished.seconds >= result.ms * seconds) return;
  result.program = polished.program;
  result.simulation = simulated(result.program, result.members);
  result.ms = result.simulation.ms;
}

// The better one of the naive program and what the search finds.
Synthesis searched(const Program& preamble, const Topology& topology,
                   const SynthesisOptions& options) {
  const CutTable cuts(topology, preamble.sites());
  Synthesis result;
  result.members = all_members(preamble, topology, cuts, options);
  const SimulateOptions simulating{.ideal = options.ideal, .members = result.members};
  const Body body = naive(preamble, result.members);
  if (!body.ok) throw ExchangeError(body.reason);
  result.program = preamble;
  result.program.set_body(body.actions);
  result.simulation = simulate(result.program, topology, simulating);
  result.naive_ms = result.ms = result.simulation.ms;
  const Bound bound =
      quick_bound(preamble, cuts, {.ideal = options.ideal, .members = result.members});
  result.bound_ms = bound.ms;
  result.proof = bound.proof;
  if (result.naive_ms <= bound.ms) return result;
  Search search(preamble, result.members, topology, options, bound.ms);
  std::vector<Program> found = search.run(result.naive_ms);
  result.packing_ms = search.packing_ms();
  result.simulations = search.simulations();
  result.cut_short = search.cut_short();
  // The better ones may form an aggregate of other parts at different sites.
  for (Program& candidate : found) {
    Simulation simulation = simulate(candidate, topology, simulating);
    if (simulation.ms >= result.ms || !simulation.uniform) continue;
    result.program = std::move(candidate);
    result.ms = simulation.ms;
    result.simulation = std::move(simulation);
    break;
  }
  if (!result.cut_short) rewrite(topology, options, result);
  return result;
}

// What the cache has, else what the search finds.
Synthesis kept(const Program& preamble, const Topology& topology, const SynthesisOptions& options) {
  if (options.cache == nullptr) return searched(preamble, topology, options);
  const std::string key = cache_key(preamble, topology, options);
  if (auto known = options.cache->find(key, preamble, topology, options)) return std::move(*known);
  Synthesis found = searched(preamble, topology, options);
  if (!found.cut_short) options.cache->put(key, found);
  return found;
}

// Takes a program of the proposer that is faster than what was found, if it comes in so many
// seconds.
void ask_proposer(const Program& preamble, const Topology& topology,
                  const SynthesisOptions& options, double seconds, Synthesis& found) {
  Proposed proposed = propose(preamble, found.program, found.members,
                              {.machine = options.machine, .bound = 1e-3 * found.bound_ms},
                              options.proposer, appraise_on(topology, {.ideal = options.ideal}),
                              {.good_enough = 1.01e-3 * found.bound_ms, .time_limit_s = seconds});
  found.warning = std::move(proposed.warning);
  if (!proposed.improved) return;
  found.proposed = true;
  found.program = std::move(proposed.program);
  found.members = std::move(proposed.members);
  found.simulation =
      simulate(found.program, topology, {.ideal = options.ideal, .members = found.members});
  found.ms = found.simulation.ms;
}

}  // namespace

Synthesis synthesize(const Program& program, const Topology& topology,
                     const SynthesisOptions& options) {
  const Program preamble = preamble_of(program);
  const auto start = std::chrono::steady_clock::now();
  Synthesis found = kept(preamble, topology, options);
  if (!options.proposer) return found;
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
  ask_proposer(preamble, topology, options, options.time_limit_s - used.count(), found);
  return found;
}

}  // namespace einsummable::synthesis
