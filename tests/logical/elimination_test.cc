// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/elimination.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

struct Problem {
  std::vector<int64_t> states;
  Pairs pairs;
};

Problem random_problem(Random& random) {
  Problem out;
  const size_t variables = 1 + random() % 12;
  for (size_t v = 0; v < variables; ++v)
    out.states.push_back(1 + static_cast<int64_t>(random() % 5));
  for (size_t i = variables < 2 ? 0 : random() % (2 * variables); i > 0; --i) {
    const auto a = static_cast<uint32_t>(random() % variables);
    out.pairs.emplace_back(a,
                           static_cast<uint32_t>((a + 1 + random() % (variables - 1)) % variables));
  }
  return out;
}

int64_t entries(const Problem& problem, const Elimination::Scope& scope) {
  int64_t out = 1;
  for (uint32_t v : scope) out *= problem.states[v];
  return out;
}

// The other variables of some tables.
Elimination::Scope around(const Elimination& order, uint32_t v,
                          const std::vector<uint32_t>& tables) {
  std::set<uint32_t> out;
  for (uint32_t t : tables) out.insert(order.scopes[t].begin(), order.scopes[t].end());
  out.erase(v);
  return {out.begin(), out.end()};
}

TEST(Elimination, UsesEveryTableOnceAndLeavesWhatTheBudgetAllows) {
  Random random(1);
  int inexact = 0;
  for (int round = 0; round < rounds(2000, 20000); ++round) {
    const Problem problem = random_problem(random);
    const int64_t budget = 1 + static_cast<int64_t>(random() % 40);
    std::optional<uint32_t> kept;
    if (random() % 2 == 0) kept = static_cast<uint32_t>(random() % problem.states.size());
    const Elimination order = plan_elimination(problem.states, problem.pairs, budget, kept, {});
    std::set<uint32_t> variables, used;
    size_t made = problem.pairs.size();
    for (const Elimination::Step& step : order.steps) {
      EXPECT_TRUE(variables.insert(step.variable).second);
      for (const Elimination::Group& group : step.groups) {
        for (uint32_t t : group.tables) {
          EXPECT_LT(t, made) << "a table must be there before it is used";
          EXPECT_TRUE(used.insert(t).second);
        }
        EXPECT_EQ(group.around, around(order, step.variable, group.tables));
        EXPECT_TRUE(group.tables.size() <= 1 || entries(problem, group.around) <= budget);
        EXPECT_LE(entries(problem, group.around), order.largest_table);
        EXPECT_LE(static_cast<int>(group.around.size()), order.width);
      }
      EXPECT_TRUE(!order.exact || step.groups.size() == 1);
      for (const Elimination::Group& group : step.groups) {
        EXPECT_EQ(order.scopes[made++], group.around);
      }
    }
    EXPECT_EQ(made, order.scopes.size());
    EXPECT_EQ(variables.size(), problem.states.size() - (kept ? 1 : 0));
    EXPECT_TRUE(!kept || !variables.contains(*kept));
    for (uint32_t t : order.kept_tables) EXPECT_TRUE(used.insert(t).second);
    for (uint32_t t = 0; t < order.scopes.size(); ++t) {
      EXPECT_TRUE(used.contains(t) || order.scopes[t].empty());
    }
    inexact += !order.exact;
  }
  EXPECT_GT(inexact, 0);
}

TEST(Elimination, TakesThoseOfFewestNeighboursFirst) {
  // A star: its leaves go first, by number; of the last two, what leaves the smaller table.
  const std::vector<int64_t> states = {2, 5, 3, 3};
  const Pairs pairs = {{0, 1}, {0, 2}, {3, 0}};
  const Elimination order = plan_elimination(states, pairs, 100, std::nullopt, {});
  std::vector<uint32_t> variables;
  for (const Elimination::Step& step : order.steps) variables.push_back(step.variable);
  EXPECT_EQ(variables, (std::vector<uint32_t>{1, 2, 3, 0}));
  EXPECT_EQ(order.width, 1);
}

}  // namespace
}  // namespace einsummable
