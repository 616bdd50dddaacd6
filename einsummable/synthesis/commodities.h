// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/synthesis/trees.h"

namespace einsummable::synthesis {

// A required aggregate that is not yet everywhere it must be.
struct Demand {
  exchange::AggregateId aggregate;
  // What it is put together from, of each terminal of its commodity; the aggregate itself where IN
  // holds it.
  std::vector<std::vector<exchange::AggregateId>> parts;
  int64_t bytes = 0;  // of each part
};

// Demands that differ in their names and sizes alone: the same holders, the same targets. Sites are
// positions in Program::sites().
struct Commodity {
  std::vector<Terminal> terminals;
  std::vector<int32_t> targets;  // sorted: where it must come to be, and is not
  bool formed = false;           // IN holds the aggregate: one terminal, nothing to merge
  double growth = 1;             // the bytes of the complete aggregate for each byte of a part
  std::vector<Demand> demands;
  double bytes = 0;  // of the parts, over all demands
};

struct Commodities {
  bool ok = false;
  std::string reason = {};  // why OUT cannot be met
  std::vector<Commodity> commodities;
};

// What a preamble (its body does not count, nothing is split) asks to be moved or merged, with
// these members of its partitions. An aggregate that IN holds is sent from where it is; another is
// put together from the fewest aggregates of IN, ties by name.
Commodities commodities_of(const exchange::Program& preamble, const exchange::Members& members);

}  // namespace einsummable::synthesis
