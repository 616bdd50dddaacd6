// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/synthesis/prompt.h"
#include "einsummable/synthesis/reply.h"

namespace einsummable::synthesis {

// A proposer that gives no reply: an endpoint that is dead, slow or speaks something else. What it
// says is for the user.
class ProposerFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Gives a text with a program in it for a prompt: a language model, a person, a file of old
// answers. Throws ProposerFailure where it cannot.
using Proposer = std::function<std::string(const std::string& prompt)>;

// How long a valid program takes. May throw an Error where it cannot run, as over sites without a
// way between them.
using Appraise = std::function<Appraisal(const exchange::Program&, const exchange::Members&)>;

struct ProposeOptions {
  int64_t rounds = 3;
  int64_t candidates = 4;  // replies asked for with one prompt
  double good_enough = 0;  // seconds at which to stop
  size_t failures = 8;     // how many a prompt repeats, the latest
  // After so long nothing more is asked; a reply that is waited for is not cut off.
  double time_limit_s = std::numeric_limits<double>::infinity();
  ReplyLimits reply = {};
};

// What came of asking.
struct Proposed {
  exchange::Program program;  // the best, in the ids of the preamble if it came from a reply
  exchange::Members members;
  Appraisal appraisal;
  bool improved = false;  // by a reply
  int64_t asked = 0, valid = 0;
  std::vector<std::string> failures = {};  // why replies were not taken, the first first
  std::string warning = {};                // why asking ended early; empty if it did not
};

// Asks a proposer for programs that are faster than `best`, which is valid for the members. Each
// round makes one prompt and asks for a number of candidates; a reply counts if it holds a program
// that is valid for the preamble (its IN and OUT; see read_reply) and takes less time than the best
// so far. Why the others were not taken stands in the next round's prompt. A proposer that fails is
// not asked again, and the best so far is what is given.
Proposed propose(const exchange::Program& preamble, const exchange::Program& best,
                 const exchange::Members& members, const Brief& brief, const Proposer& proposer,
                 const Appraise& appraise, const ProposeOptions& options = {});

}  // namespace einsummable::synthesis
