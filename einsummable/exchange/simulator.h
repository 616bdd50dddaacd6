// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "einsummable/exchange/closure.h"
#include "einsummable/exchange/program.h"
#include "einsummable/exchange/simulator_loop.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

struct SimulateOptions {
  // All latencies are zero, for comparison with the paper and with bounds.
  bool ideal = false;
  // Of each partition, or empty where check() is to look for some.
  Members members = {};
  // For the check, and once more for the covers decided on in simulated time.
  Budget budget = {};
};

// What happens when a program runs on a machine.
struct Simulation {
  // A transfer, or the forming of an aggregate at a site (no destination).
  struct Step {
    AggregateId aggregate;
    SiteId site;
    SiteId destination = {};
    double start_ms = 0;
    double end_ms = 0;
    int64_t bytes = 0;       // of a transfer; through the memory of the site for a form
    int32_t cause = -1;      // the step whose end let this one start; -1: it starts at 0
    int32_t first_part = 0;  // of a form: parts[first_part ..]
    int32_t part_count = 0;

    bool is_transfer() const { return destination.valid(); }
  };
  struct Load {
    std::string name;  // "link 2->6", "memory of 3"
    double bytes = 0;
    double busy_ms = 0;  // for how long something passed
    double share = 0;    // of what it could carry in the whole time
  };

  double ms = 0;               // until every action has ended, needed or not
  Program program;             // with every split atom replaced by its pieces: what ids refer to
  Members members;             // of each partition, as given or as found
  std::vector<Step> timeline;  // by start
  int64_t skipped = 0;         // transfers to where their aggregate was already
  std::vector<Load> load;      // resources in the topology's order, then the devices' memories
  std::vector<int32_t>
      critical_path;  // steps, the first that starts at 0, each the next one's cause

  // How everything came to be, in the order of time; the round counts the different times. Fixed in
  // this form the program runs as simulated, less what came too late to be used.
  std::vector<Derivation> derivations;
  std::vector<AggregateId> parts;  // of steps and derivations, by name
  // Whether every aggregate was made of the same parts at all sites.
  bool uniform = true;

  std::span<const AggregateId> parts_of(const Step& step) const {
    return std::span(parts).subspan(static_cast<size_t>(step.first_part),
                                    static_cast<size_t>(step.part_count));
  }
};

// Simulates a program. An aggregate is formed at a site as soon as what is there partitions it, of
// the fewest parts, ties by name. Throws ExchangeError with the reason if the program is not valid
// or too hard, TopologyError if the machine lacks a site or a way it needs.
Simulation simulate(const Program& program, const Topology& topology,
                    const SimulateOptions& options = {});

}  // namespace einsummable::exchange
