// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

// Gives the steps of a plan their programs' bodies (naive, `synthesis/naive`) and derivations. A
// step whose preamble differs from an earlier one's by names alone takes what that one has: the
// layers of a model repeat.
class Synthesiser {
 public:
  // `steps` grows by a step with its preamble before each call of run_last().
  explicit Synthesiser(std::vector<ExchangeStep>& steps) : steps_(steps) {}

  // Synthesises the last step.
  void run_last();

 private:
  std::vector<ExchangeStep>& steps_;
  std::unordered_multimap<size_t, size_t> known_;  // steps by hash of their preambles
};

// Whether the preambles differ by the names of atoms alone: equal sizes, aggregates, IN and OUT.
bool same_but_for_names(const exchange::Program& a, const exchange::Program& b);

}  // namespace einsummable
