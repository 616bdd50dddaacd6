// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/members.h"

#include <utility>

namespace einsummable::exchange {

MemberSearch::MemberSearch(std::vector<std::vector<bool>> eligible, std::vector<int64_t> sizes,
                           Budget& budget)
    : eligible_(std::move(eligible)),
      sizes_(std::move(sizes)),
      used_(sizes_.size(), 0),
      budget_(budget),
      group_(eligible_.size(), -1) {}

bool MemberSearch::augment(size_t site, size_t first) {
  // Breadth first: `from` is the site that asked for each group, `queue` the sites that ask.
  std::vector<int32_t> from(sizes_.size(), -1);
  std::vector<size_t> queue = {site};
  for (size_t at = 0; at < queue.size(); ++at) {
    const size_t u = queue[at];
    if (!budget_.spend_steps(static_cast<int64_t>(sizes_.size()))) return false;
    for (size_t g = 0; g < sizes_.size(); ++g) {
      if (from[g] >= 0 || !eligible_[u][g]) continue;
      from[g] = static_cast<int32_t>(u);
      if (used_[g] < sizes_[g]) {
        ++used_[g];
        // Hand the free place back along the chain of askers.
        for (auto group = static_cast<int32_t>(g);;) {
          const auto asker = static_cast<size_t>(from[static_cast<size_t>(group)]);
          group = std::exchange(group_[asker], group);
          if (asker == site) return true;
        }
      }
      budget_.spend_steps(static_cast<int64_t>(group_.size()));
      for (size_t v = first; v < group_.size(); ++v) {
        if (group_[v] == static_cast<int32_t>(g)) queue.push_back(v);
      }
    }
  }
  return false;
}

bool MemberSearch::match_all() {
  for (size_t s = 0; s < group_.size(); ++s) {
    if (!augment(s, 0)) return false;
  }
  return true;
}

bool MemberSearch::force(size_t s, int32_t g) {
  const int32_t old = group_[s];
  if (old == g) return true;
  for (size_t v = s + 1; v < group_.size(); ++v) {
    if (group_[v] != g) continue;
    group_[s] = g;
    group_[v] = -1;
    --used_[static_cast<size_t>(old)];
    if (augment(v, s + 1)) return true;
    group_[s] = old;
    group_[v] = g;
    ++used_[static_cast<size_t>(old)];
    return false;  // another site of the group would fail as well: all could reach the same groups
  }
  return false;
}

void MemberSearch::minimise(size_t first) {
  for (size_t s = first; s < group_.size(); ++s) {
    for (int32_t g = 0; g < group_[s]; ++g) {
      if (eligible_[s][static_cast<size_t>(g)] && force(s, g)) break;
    }
  }
}

std::optional<std::vector<int32_t>> MemberSearch::next() {
  if (!started_) {
    started_ = true;
    if (!match_all()) return std::nullopt;
    minimise(0);
    return budget_.spent() ? std::nullopt : std::optional(group_);
  }
  for (size_t s = group_.size(); s-- > 0;) {
    for (auto g = static_cast<size_t>(group_[s]) + 1; g < sizes_.size(); ++g) {
      if (!eligible_[s][g] || !force(s, static_cast<int32_t>(g))) continue;
      minimise(s + 1);
      return budget_.spent() ? std::nullopt : std::optional(group_);
    }
  }
  return std::nullopt;
}

}  // namespace einsummable::exchange
