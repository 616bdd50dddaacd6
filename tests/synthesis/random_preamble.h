// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// A random preamble for the sites of a machine: families of atoms of one size, some of them given
// twice or as a formed aggregate; aggregates wanted at sites or at one of two groups, which may be
// open; overlapping ones, and complete ones of a size of their own.
struct RandomPreamble {
  Program program;
  Members members;  // of the groups, open or not
};
RandomPreamble random_preamble(int64_t sites, std::mt19937_64& random);

// A valid program for it: its atoms cut into pieces, each brought to where it is wanted by relays
// and aggregations of its own. None if what is wanted cannot be reached.
std::optional<Program> random_body(const RandomPreamble& preamble, const Topology& topology,
                                   std::mt19937_64& random);

}  // namespace einsummable::exchange
