// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// What is wrong with a program, and the aggregate or partition it is wrong with, if one.
struct Fault {
  std::string reason;
  AggregateId aggregate;
  PartitionId partition;
};

// Atoms that cannot be aggregated: of unlike sizes or cuts, or pieces of unlike numbers.
std::optional<Fault> unlike_atoms(const Program& program, AggregateId aggregate);

// An atom that is not a whole number of its grains, or whose name another has.
std::optional<Fault> ill_formed_atoms(const Program& program);

// Partitions that overlap, do not cover the sites, hold a site that is not declared, are empty or
// share a name.
std::optional<Fault> ill_formed_partitions(const Program& program);

// An entry or action at a site or partition that is not declared, or that sends from a partition.
std::optional<Fault> undeclared_places(const Program& program);

// An aggregate with its own OUT size inside a larger OUT aggregate: a complete result is no
// partial.
std::optional<Fault> nested_complete(const Program& program);

// The first of all of the above, for a program that was not parsed; none if it is well-formed.
std::optional<Fault> ill_formed(const Program& program);

}  // namespace einsummable::exchange
