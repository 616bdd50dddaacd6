// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/selectors.h"

#include <random>

namespace einsummable {
namespace {

template <class Pick>
Choice choose(const Candidates& candidates, const Pick& pick) {
  Choice out;
  for (size_t i = 0; i < candidates.graph().ops().size(); ++i) {
    out.pick.push_back(pick(candidates.of(OpId(static_cast<int64_t>(i))).all));
  }
  out.cost = cost_of(candidates, out.pick);
  return out;
}

}  // namespace

Choice choose_greedy(const Candidates& candidates) {
  return choose(candidates, [](const std::vector<Candidate>& all) {
    const auto cheapest =
        std::ranges::min_element(all, {}, [](const Candidate& c) { return c.cost.total; });
    return static_cast<uint32_t>(cheapest - all.begin());
  });
}

Choice choose_random(const Candidates& candidates, uint64_t seed) {
  std::mt19937_64 random(seed);
  return choose(candidates, [&](const std::vector<Candidate>& all) {
    return static_cast<uint32_t>(random() % all.size());
  });
}

}  // namespace einsummable
