// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// Texts come from users, files and language models, so everything is limited. Actions, and entries
// of IN and of OUT, count once a piece where their atoms are split.
struct Limits {
  size_t text_bytes = 16'000'000;
  int64_t sites = 4'096;
  int64_t atoms = 65'536;  // pieces included
  int64_t actions = 1'000'000;
  int64_t entries = 1'000'000;       // of IN, and of OUT
  int64_t named_atoms = 32'000'000;  // in all entries and actions, pieces included
};

// A program, or why the text is none and in which line.
struct ParseVerdict {
  bool ok = false;
  int line = 0;
  std::string reason = {};
  Program program = {};
};

// Reads the text of an exchange program (docs/exprog.md). Takes linear time, never recurses, never
// throws. A program that parses is well-formed as a text; whether its actions can fire and OUT is
// met is for check() to say.
//
//     parse("IN: A @ 0; B @ 1\nOUT: A+B @ 0\nB @ 1 -> 0\nA+B @ 0").program.body().size() == 2
ParseVerdict parse(std::string_view text, const Limits& limits = {});

}  // namespace einsummable::exchange
