// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/best_assignments.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;
using Costs = std::vector<Cost>;
using States = std::vector<uint32_t>;

struct Problem {
  std::vector<Costs> unary;
  std::vector<PairTable> pairs;
};

Cost random_cost(Random& random) {
  return {static_cast<int64_t>(random() % 20), static_cast<int64_t>(random() % 3), 0};
}

Problem random_problem(Random& random) {
  Problem out;
  const size_t variables = 1 + random() % 5;
  for (size_t v = 0; v < variables; ++v) {
    Costs& row = out.unary.emplace_back();
    for (size_t s = 1 + random() % 3; s-- > 0;) row.push_back(random_cost(random));
  }
  for (uint32_t b = 1; b < variables; ++b) {
    const auto a = static_cast<uint32_t>(random() % b);
    Costs table;
    for (size_t i = 0; i < out.unary[a].size() * out.unary[b].size(); ++i) {
      table.push_back(random_cost(random));
    }
    out.pairs.push_back({a, b, std::make_shared<const Costs>(table)});
  }
  return out;
}

// The costs of all assignments to the first `told_apart` variables, the others at their best.
std::multiset<Cost> all_costs(const Problem& problem, size_t told_apart) {
  std::map<States, Cost> best;
  States state(problem.unary.size(), 0);
  while (true) {
    Cost cost;
    for (size_t v = 0; v < state.size(); ++v) cost += problem.unary[v][state[v]];
    for (const PairTable& pair : problem.pairs) {
      cost += (*pair.cost)[state[pair.a] * problem.unary[pair.b].size() + state[pair.b]];
    }
    const States key(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(told_apart));
    const auto [place, added] = best.try_emplace(key, cost);
    place->second = std::min(place->second, cost);
    size_t v = 0;
    while (v < state.size() && ++state[v] == problem.unary[v].size()) state[v++] = 0;
    if (v == state.size()) break;
  }
  std::multiset<Cost> out;
  for (const auto& [key, cost] : best) out.insert(cost);
  return out;
}

TEST(BestAssignments, AreAllThereAreInOrder) {
  Random random(1);
  for (int round = 0; round < rounds(300, 3000); ++round) {
    const Problem problem = random_problem(random);
    const size_t told_apart = 1 + random() % problem.unary.size();
    BestAssignments::Groups groups;
    for (uint32_t v = 0; v < told_apart; ++v) groups.push_back({v});
    BestAssignments best(problem.unary, problem.pairs, groups, 1000);
    std::set<States> seen;
    std::vector<Cost> costs;
    while (const auto next = best.next()) {
      costs.push_back(next->cost);
      seen.insert(
          {next->state.begin(), next->state.begin() + static_cast<std::ptrdiff_t>(told_apart)});
    }
    EXPECT_EQ(seen.size(), costs.size());
    const std::multiset<Cost> expected = all_costs(problem, told_apart);
    EXPECT_EQ(costs, std::vector<Cost>(expected.begin(), expected.end()));
  }
}

TEST(BestAssignments, ChangeAllVariablesOfAGroup) {
  const std::vector<Costs> unary(3, Costs{{0}, {1}, {5}});
  BestAssignments best(unary, {}, {{0, 1}, {2}}, 1000);
  std::vector<States> states;
  while (const auto next = best.next()) states.push_back(next->state);
  ASSERT_GE(states.size(), 4u);
  EXPECT_EQ(states[0], (States{0, 0, 0}));
  EXPECT_EQ(states[1], (States{0, 0, 1}));
  EXPECT_EQ(states[2], (States{1, 1, 0}));
  EXPECT_EQ(states[3], (States{1, 1, 1}));
}

}  // namespace
}  // namespace einsummable
