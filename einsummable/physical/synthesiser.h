// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "einsummable/physical/physical_plan.h"
#include "einsummable/synthesis/synthesize.h"

namespace einsummable {

// How the exchange programs of a plan are made.
struct Schedule {
  // On which they are to be fast. None: they are naive (`synthesis/naive`).
  std::shared_ptr<const Topology> topology = {};
  synthesis::SynthesisOptions search = {};  // of each program
  // When searching ends, so that later programs are the naive ones.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Gives the steps of a plan their programs' splits, bodies and derivations. A step whose preamble
// differs from an earlier one's by names alone takes what that one has: the layers of a model
// repeat.
class Synthesiser {
 public:
  // Both are kept by reference. `plan.steps` grows by a step with its preamble before each call of
  // run_last().
  Synthesiser(PhysicalPlan& plan, const Schedule& schedule) : plan_(plan), schedule_(schedule) {}

  // Synthesises the last step.
  void run_last();

 private:
  struct Known {
    exchange::Program preamble;
    size_t step = 0;
  };

  void write_naive(ExchangeStep& step) const;
  void search(ExchangeStep& step);

  PhysicalPlan& plan_;
  const Schedule& schedule_;
  std::unordered_multimap<size_t, Known> known_;  // by hash of the preamble
};

// Whether the programs, bodies apart, differ by the names of atoms alone: equal sizes, splits,
// aggregates, IN and OUT.
bool same_but_for_names(const exchange::Program& a, const exchange::Program& b);

}  // namespace einsummable
