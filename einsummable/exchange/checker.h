// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "einsummable/exchange/closure.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

struct CheckOptions {
  // Of each partition, or empty where check() is to use those of the program or, if it has none, to
  // look for some.
  Members members = {};
  // For the exact covers, the closure and the search for members together.
  Budget budget = {};
  // How many choices of members are tried in full.
  int64_t tries = 1'000;
};

// Whether a program is valid (Definition 5.5), and how everything in its closure comes about.
struct Verdict {
  enum class Outcome { valid, invalid, too_hard };

  Outcome outcome = Outcome::invalid;
  // Why it is not valid: the first action that can never fire and what is missing there, or else
  // the first requirement that is not met.
  std::string reason = {};
  // Of each partition: as given, or as found.
  Members members = {};
  // Whether all replicas of every aggregate come from one derivation tree, so that they are equal
  // bit for bit. Programs where that cannot be may still be valid.
  bool uniform = true;
  // In firing order. Their aggregates are those of expand(program), which is the program itself if
  // nothing is split.
  std::vector<Derivation> derivations = {};
  std::vector<AggregateId> parts = {};

  bool ok() const { return outcome == Outcome::valid; }
  std::span<const AggregateId> parts_of(const Derivation& d) const {
    return std::span(parts).subspan(static_cast<size_t>(d.first_part),
                                    static_cast<size_t>(d.part_count));
  }
};

// One line a derivation, for people: "2: A+B @ 0 = A B" is aggregated from A and B in round 2,
// "1: A @ 1 <- 0" received from site 0 in round 1, "0: A @ 0" given. `program` has no splits.
std::string derivations_text(const Program& program, const Verdict& verdict);

// Checks a program with every split atom replaced by its pieces. With partitions given by size
// alone, answers for the members given, or looks for members that make it valid: the first, sites
// in order and partitions in order, so each site goes to the earliest partition that works.
//
// Near-linear in the program where every aggregate has few ways to be put together; otherwise
// bounded by the budget.
Verdict check(const Program& program, const CheckOptions& options = {});

}  // namespace einsummable::exchange
