// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "einsummable/base/interruption.h"
#include "einsummable/exchange/program.h"
#include "einsummable/exchange/simulator.h"
#include "einsummable/synthesis/proposer.h"
#include "einsummable/topology/topology.h"

namespace einsummable::synthesis {

class ProgramCache;

struct SynthesisOptions {
  uint64_t seed = 0;
  // Simulations at most, beside those of the naive program and of the result.
  int64_t budget = 200;
  // All latencies are zero.
  bool ideal = false;
  // Wall clock that only cuts the search short; results then depend on it.
  double time_limit_s = std::numeric_limits<double>::infinity();
  // Of each partition; empty, or empty of a partition: those of the program, else the best found.
  exchange::Members members = {};
  // Where programs are looked for and kept; none where the time limit cut the search short.
  ProgramCache* cache = nullptr;
  // Asked, if there is one, for programs that are faster than what the search found. What it gives
  // is not kept in the cache.
  Proposer proposer = {};
  std::string machine = {};  // the topology's, as text, for the proposer
  Interruption interruption = {};
};

struct Synthesis {
  exchange::Program program;  // the preamble as given, split and with a body
  exchange::Members members;  // of each partition
  double ms = 0;
  double naive_ms = 0;    // of the naive program with the same members
  double bound_ms = 0;    // no program for these members is faster
  std::string proof;      // of the bound
  double packing_ms = 0;  // the load of the best packing of trees: a target, not a bound
  int64_t simulations = 0;
  bool cut_short = false;  // by the time limit
  bool proposed = false;   // by the proposer
  std::string warning;     // why the proposer was not asked to the end; empty if it was
  bool from_cache = false;
  exchange::Simulation simulation;  // of the program

  // How far above the bound: 0.03 is 3 %.
  double gap() const { return bound_ms > 0 ? ms / bound_ms - 1 : 0; }
};

// A fast program for a preamble on a machine (the body and splits of `program` do not count):
// placement of open partitions, packing of trees, pieces, order. Never slower than the naive
// program; the same for the same arguments; stops at 1.01 of the bound. Throws ExchangeError if OUT
// cannot be met, TopologyError if the machine lacks a site or a way that is needed.
Synthesis synthesize(const exchange::Program& program, const Topology& topology,
                     const SynthesisOptions& options = {});

}  // namespace einsummable::synthesis
