// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// A program written down without the names of its atoms and partitions, so that programs that
// differ in these alone have one text. What is synthesised for one is then good for the other: atom
// number k of one is atom number k of the other.
struct Canonical {
  std::string text;
  std::vector<AtomId> atoms;  // the program's atoms in the order of their numbers in the text
  // The site of the text that each of program.sites() is; the same one without symmetries.
  std::vector<SiteId> sites;
  // Whether the search through atoms that look alike came to its end. If not, some other naming of
  // the program may have another text; two programs that differ never have the same.
  bool complete = true;
};

struct CanonicalOptions {
  // Also up to these permutations of sites (site s takes the place of permutation[s]; a site beyond
  // its end stays), a group: the least of their texts. Empty: sites are told apart.
  std::span<const std::vector<int32_t>> symmetries = {};
  // How often the atoms may be told apart anew where they look alike.
  int64_t refinements = 1'000;
};

// Splits and the order of the body count; the order of entries does not, nor do atoms that nothing
// names.
Canonical canonical(const Program& program, const CanonicalOptions& options = {});

}  // namespace einsummable::exchange
