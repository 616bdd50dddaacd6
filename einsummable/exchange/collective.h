// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// The names that collective() takes.
const std::vector<std::string>& collective_names();

// The preamble of a standard collective over sites 0 to sites - 1, of atoms of `bytes` each:
//
//     all-gather       every site holds an atom, and all need all of them
//     reduce-scatter   every site holds a partial of each of `sites` sums, and needs one sum
//     all-reduce       every site holds a partial, and all need the sum
//     all-to-all       every site holds an atom for each other one
//     broadcast        site 0 holds an atom, and all need it
//     reduce           every site holds a partial, and site 0 needs the sum
//
// Throws ExchangeError for another name, fewer than two sites or more than 255, or sizes below 1.
Program collective(std::string_view name, int64_t sites, int64_t bytes);

}  // namespace einsummable::exchange
