// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// The seconds that a valid program takes; infinity where it cannot run at all.
using Score = std::function<double(const exchange::Program&, const exchange::Members&)>;

struct PolishOptions {
  int64_t evaluations = 100;           // how often a program is scored
  uint64_t seed = 0;                   // of the order in which places are tried
  double good_enough = 0;              // seconds at which to stop
  std::optional<double> seconds = {};  // of the program to begin with, if it is known
};

struct Polished {
  exchange::Program program;
  double seconds = 0;
  int64_t evaluations = 0;
  std::vector<std::string> applied = {};  // names of rewrites, in order
};

// Improves a valid program by rewrites, one at a time: each that lowers the score, or sends less in
// the same time, is kept, and the search goes on from there until no place is left that has not
// been tried or the evaluations are spent. Kinds of rewrites take turns, those that have helped
// before first. Never worse than the program it begins with; the same arguments give the same
// program.
//
// Throws ExchangeError if the program is not valid for these members.
Polished polish(const exchange::Program& program, const exchange::Members& members,
                const Score& score, const PolishOptions& options = {});

}  // namespace einsummable::synthesis
