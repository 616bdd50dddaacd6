// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/exchange/simulator.h"

namespace einsummable::exchange {

// "A+B @ 0 of A, B" for an aggregate that is formed, "A @ 0 -> 1" for a transfer.
std::string step_text(const Simulation& simulation, const Simulation::Step& step);

// One line a step, by start: when it starts and ends in ms, and what it is. At most `limit` lines,
// then how many are left.
std::string timeline_text(const Simulation& simulation, size_t limit = 1'000);

// What bounds the time, in words: the resource that carries most of what it could, and the chain of
// steps that ends last, each started by the end of the one before. Steps in a row that do the same
// (pieces between one pair of sites, or formed at one site) make one line.
//
//     15.053 ms; link 2->6 busy 97 %
//       0.000   12.000  A.0 @ 0 -> 1 and 11 more
//      12.000   15.053  A+B @ 1 of A, B
std::string critical_path_text(const Simulation& simulation);

// One line a resource that carried something, the busiest first: its share of what it could carry,
// its bytes, and for how long something passed.
std::string load_text(const Simulation& simulation);

}  // namespace einsummable::exchange
