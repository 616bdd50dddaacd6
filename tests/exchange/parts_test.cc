// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/parts.h"

#include <gtest/gtest.h>

#include <random>

namespace einsummable::exchange {
namespace {

// Of random candidates inside an aggregate of six atoms: the fewest that partition it, by trying
// all subsets.
TEST(PartsFinder, ChoosesTheFewestThatPartition) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    Program program;
    std::vector<AtomId> atoms;
    for (char name = 'A'; name <= 'F'; ++name) {
      atoms.push_back(program.add_atom({.name = std::string(1, name)}));
    }
    const AggregateId whole = program.aggregate(atoms);
    std::vector<AggregateId> candidates;
    std::vector<unsigned> masks;
    for (int i = 0; i < 7; ++i) {
      const unsigned mask = 1 + random() % 62;
      std::vector<AtomId> chosen;
      for (unsigned a = 0; a < 6; ++a) {
        if (mask >> a & 1) chosen.push_back(atoms[a]);
      }
      const AggregateId id = program.aggregate(chosen);
      if (std::ranges::find(candidates, id) != candidates.end()) continue;
      candidates.push_back(id);
      masks.push_back(mask);
    }
    size_t fewest = 0;
    for (unsigned subset = 1; subset < 1u << masks.size(); ++subset) {
      unsigned together = 0, overlap = 0, count = 0;
      for (size_t i = 0; i < masks.size(); ++i) {
        if (!(subset >> i & 1)) continue;
        overlap |= together & masks[i];
        together |= masks[i];
        ++count;
      }
      if (together == 63 && overlap == 0 && (fewest == 0 || count < fewest)) fewest = count;
    }
    PartsFinder finder(program);
    Budget budget;
    const Parts parts = finder.choose(whole, candidates, budget);
    EXPECT_EQ(parts.outcome == Cover::Outcome::found, fewest > 0);
    EXPECT_EQ(parts.aggregates.size(), fewest);
  }
}

}  // namespace
}  // namespace einsummable::exchange
