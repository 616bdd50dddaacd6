// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// What a proposer is told of the problem, apart from the program itself.
struct Brief {
  std::string machine = {};  // as text
  double bound = 0;          // seconds that no program can beat; 0 if none is known
};

// How long a program takes, and why so long.
struct Appraisal {
  double seconds = 0;
  std::string critical_path = {};  // in words, lines or not
};

// What a proposer is asked: the language in a page, the machine, the preamble, the best program so
// far with its time and critical path, the bound, and why earlier replies failed. The same
// arguments give the same text. Long parts are cut short, and say so.
std::string prompt_text(const exchange::Program& preamble, const exchange::Program& best,
                        const exchange::Members& members, const Appraisal& appraisal,
                        const Brief& brief, std::span<const std::string> failures);

// "11.52 ms", four digits.
std::string milliseconds_text(double seconds);

}  // namespace einsummable::synthesis
