// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/synthesis/valid_program.h"

// The transformations of section 5.4 of the paper, from valid programs to valid programs for the
// same IN and OUT, partitions with the same members.
namespace einsummable::synthesis {

// Where a rewrite applies. Each rewrite says which fields it reads.
struct Spot {
  static constexpr size_t none = static_cast<size_t>(-1);

  size_t action = none;             // its place in the body
  size_t other = none;              // the place of a second action
  exchange::SiteId destination{};   // one of the action's destinations
  exchange::SiteId site{};          // a relay, or another source
  std::vector<AtomSet> parts = {};  // what an aggregate is divided into

  bool operator==(const Spot&) const = default;
};

// What a rewrite gives: a valid program, or the reason it may not be applied there.
struct Rewritten {
  std::optional<ValidProgram> program = {};
  std::string reason = {};

  bool ok() const { return program.has_value(); }
};

struct Rewrite {
  std::string_view name;
  // What must hold beside the pattern; empty where the pattern is enough.
  std::string_view guard;
  // The program with the rewrite applied at one place. Actions stand where those were that they
  // come from; nothing else moves. No spot, however wrong, gives an invalid program.
  Rewritten (*apply)(const ValidProgram& from, const Spot& spot);
  // The places whose pattern fits, in an order that depends on nothing but the program. Its guard
  // may still refuse one.
  std::vector<Spot> (*spots)(const ValidProgram& from);
  // It only adds actions, so it is of use before others, never by itself.
  bool only_adds = false;
};

// All of them, by name:
//
//     multicast fission      X @ s -> D, d  to  X @ s -> d; X @ s -> D         (action,
//     destination) multicast fusion       X @ s -> D; X @ s -> E  to  X @ s -> D, E (action, other)
//     relay introduction     X @ s -> d  to  X @ s -> r; X @ r -> d      (action, destination,
//     site) relay elimination      X @ s -> r; X @ r -> d  to  X @ s -> d     (action, other,
//     destination) aggregation pushdown   X @ r -> s; Y @ r -> s  to  X+Y @ r -> s   (action,
//     other, destination) aggregation pullup     X+Y @ r -> s  to  X @ r -> s; Y @ r -> s (action,
//     destination, parts) source substitution    X @ s -> d  to  X @ t -> d, where X is at t
//     (action, destination, site) deletion               X @ s -> D, d  to  X @ s -> D (action,
//     destination if any) insertion              X @ s -> d is added before the action     (action,
//     parts {X}, site,
//                                                                       destination if any)
//
// Of an action with more destinations than the one that is rewritten the others stay; a partition
// among them that loses a member is written out. An action that is there already is not repeated.
// Pushdown drops a local X+Y @ s, as X+Y now comes there; pullup adds it where it is needed.
// Insertion and deletion are the primitives by which every valid program is reached (Theorem 5.6).
std::span<const Rewrite> rewrites();

// The one of this name. Throws InternalError if there is none.
const Rewrite& rewrite_named(std::string_view name);

}  // namespace einsummable::synthesis
