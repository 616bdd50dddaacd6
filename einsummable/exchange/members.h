// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "einsummable/exchange/cover.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// Enumerates the ways to put sites into groups of given sizes, each site into a group it is
// eligible for, in lexicographic order of the sites' groups. Keeps a perfect matching at hand, so
// that no time is spent on choices that cannot be completed.
class MemberSearch {
 public:
  // eligible[s][g]: whether site s may be in group g. The sizes add up to the number of sites.
  MemberSearch(std::vector<std::vector<bool>> eligible, std::vector<int64_t> sizes, Budget& budget);

  // The group of each site: the first such choice, then the next one; none when there is no more or
  // the budget is spent.
  std::optional<std::vector<int32_t>> next();

 private:
  bool match_all();
  // Finds a group for an unmatched site, moving only sites from `first` on.
  bool augment(size_t site, size_t first);
  // Moves site `s` to group `g` and completes the choice among the sites after it.
  bool force(size_t s, int32_t g);
  // Chooses the least groups for the sites from `first` on.
  void minimise(size_t first);

  std::vector<std::vector<bool>> eligible_;
  std::vector<int64_t> sizes_, used_;
  Budget& budget_;
  std::vector<int32_t> group_;  // of each site, -1 if none
  bool started_ = false;
};

}  // namespace einsummable::exchange
