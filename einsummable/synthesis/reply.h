// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/program.h"

namespace einsummable::synthesis {

// Replies come from outside: what they may cost.
struct ReplyLimits {
  size_t bytes = 1'000'000;
  int64_t actions = 100'000;
  exchange::Budget check = {.nodes = 100'000, .steps = 100'000'000};
};

// A valid program found in a reply, or why there is none.
struct Reply {
  bool ok = false;
  std::string reason = {};  // one line of ASCII
  exchange::Program program = {};
  exchange::Members members = {};
};

// Finds a program for the preamble in text that may be anything: in its fenced blocks, the last
// first, else in the lines that look like actions. SPLIT and the body are taken from it, all else
// from the preamble, in whose ids the program is; a body that the preamble has does not count.
// Members of open partitions are those that the reply's PARTITIONS names, else the first that make
// the program valid. Never throws on a reply.
//
//     "Relay it:\n```\nIN: A @ 7\nOUT:\nA @ 0 -> 2 -> 1\n```"  is the body  A @ 0 -> 2; A @ 2 -> 1
Reply read_reply(std::string_view text, const exchange::Program& preamble,
                 const ReplyLimits& limits = {});

// The text of a program's IN, OUT and what stands before them: what a reply need not repeat.
std::string preamble_text(const exchange::Program& preamble);

// The first bytes of a text, all that is not printable ASCII as '?'.
std::string excerpt(std::string_view text, size_t bytes);

}  // namespace einsummable::synthesis
