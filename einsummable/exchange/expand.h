// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// The program in which every split atom is replaced by its pieces: entries of IN and OUT by one a
// piece, actions by one a piece, in piece order, where the action stands. Atoms and aggregates of
// `program` keep their ids; aggregates of pieces come after them. An own OUT size is shared out as
// the pieces are: the piece from byte b to e of S has e * size / S - b * size / S, rounded down
// each.
Program expand(const Program& program);

// The program without splits and body: what must be moved. Atoms keep their ids where nothing is
// split.
Program preamble_of(const Program& program);

// What the atoms of the program are called in `preamble`, which is its own but for names; and their
// pieces after them.
std::vector<std::string> names_in(const Program& preamble, const Program& program);

}  // namespace einsummable::exchange
