// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/min_sum.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "einsummable/base/error.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;
using Costs = std::vector<Cost>;

struct Problem {
  std::vector<Costs> unary;
  std::vector<PairTable> pairs;
};

Cost total(const Problem& problem, const std::vector<uint32_t>& state) {
  Cost cost;
  for (size_t v = 0; v < state.size(); ++v) cost += problem.unary[v][state[v]];
  for (const PairTable& pair : problem.pairs) {
    cost += (*pair.cost)[state[pair.a] * problem.unary[pair.b].size() + state[pair.b]];
  }
  return cost;
}

Cost brute_force(const Problem& problem) {
  std::vector<uint32_t> state(problem.unary.size(), 0);
  std::optional<Cost> best;
  while (true) {
    const Cost cost = total(problem, state);
    if (!best || cost < *best) best = cost;
    size_t v = 0;
    while (v < state.size() && ++state[v] == problem.unary[v].size()) state[v++] = 0;
    if (v == state.size()) return *best;
  }
}

Cost random_cost(Random& random, int64_t below) {
  const auto draw = [&] { return static_cast<int64_t>(random() % static_cast<uint64_t>(below)); };
  return {draw(), draw(), draw()};
}

Problem random_problem(Random& random) {
  Problem problem;
  const size_t variables = 1 + random() % 7;
  const int64_t below = random() % 2 ? 3 : 100;
  for (size_t v = 0; v < variables; ++v) {
    problem.unary.emplace_back();
    const size_t states = 1 + random() % 4;
    for (size_t s = 0; s < states; ++s) problem.unary.back().push_back(random_cost(random, below));
  }
  const size_t pairs = variables < 2 ? 0 : random() % (variables * 2);
  for (size_t i = 0; i < pairs; ++i) {
    const auto a = static_cast<uint32_t>(random() % variables);
    const auto b = static_cast<uint32_t>((a + 1 + random() % (variables - 1)) % variables);
    Costs costs;
    for (size_t s = 0; s < problem.unary[a].size() * problem.unary[b].size(); ++s) {
      costs.push_back(random_cost(random, below));
    }
    problem.pairs.push_back({a, b, std::make_shared<Costs>(std::move(costs))});
  }
  return problem;
}

TEST(MinSum, TakesTheBestOfTwoVariables) {
  const std::vector<Costs> unary = {{{0}, {0}}, {{3}, {1}}};
  const std::vector<PairTable> pairs = {{0, 1, std::make_shared<Costs>(Costs{{0}, {5}, {5}, {0}})}};
  const Assignment best = minimise(unary, pairs, 100);
  EXPECT_EQ(best.state, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(best.cost, Cost{1});
  EXPECT_TRUE(best.exact());
  EXPECT_EQ(best.width, 1);
}

TEST(MinSum, OfNothingCostsNothing) {
  const Assignment best = minimise({}, {}, 100);
  EXPECT_TRUE(best.state.empty());
  EXPECT_EQ(best.cost, Cost{});
  EXPECT_TRUE(best.exact());
}

TEST(MinSum, GivesTiesToTheLowestStates) {
  const std::vector<Costs> unary(5, Costs(3));
  std::vector<PairTable> pairs;
  for (uint32_t v = 1; v < 5; ++v) pairs.push_back({0, v, std::make_shared<Costs>(Costs(9))});
  EXPECT_EQ(minimise(unary, pairs, 100).state, std::vector<uint32_t>(5, 0));
}

TEST(MinSum, EqualsBruteForce) {
  Random random(1);
  for (int round = 0; round < rounds(2000, 20000); ++round) {
    const Problem problem = random_problem(random);
    const Assignment best = minimise(problem.unary, problem.pairs, 1 << 20);
    EXPECT_EQ(best.cost, brute_force(problem));
    EXPECT_EQ(best.cost, total(problem, best.state));
    EXPECT_TRUE(best.exact());
  }
}

TEST(MinSum, BoundsWhatItCannotSolveWithinTheBudget) {
  Random random(2);
  int inexact = 0;
  for (int round = 0; round < rounds(2000, 20000); ++round) {
    const Problem problem = random_problem(random);
    const Assignment found = minimise(problem.unary, problem.pairs, 1 + random() % 8);
    const Cost best = brute_force(problem);
    EXPECT_LE(found.bound, best);
    EXPECT_LE(best, found.cost);
    EXPECT_EQ(found.cost, total(problem, found.state));
    inexact += !found.exact();
  }
  EXPECT_GT(inexact, 0);
}

// The problem in which some variables may have one state alone.
Problem forced_problem(Problem problem, std::span<const MinSum::Forced> forced) {
  for (const auto& [variable, state] : forced) {
    for (size_t s = 0; s < problem.unary[variable].size(); ++s) {
      if (s != state) problem.unary[variable][s].main += 1'000'000;
    }
  }
  return problem;
}

std::vector<MinSum::Forced> random_forces(const Problem& problem, Random& random) {
  std::vector<MinSum::Forced> out;
  for (uint32_t v = 0; v < problem.unary.size(); ++v) {
    if (random() % 3 != 0) continue;
    out.push_back({v, static_cast<uint32_t>(random() % problem.unary[v].size())});
  }
  return out;
}

TEST(MinSum, AnswersManyQuestionsAsItAnswersOne) {
  Random random(3);
  for (int round = 0; round < rounds(500, 5000); ++round) {
    const Problem problem = random_problem(random);
    MinSum many(problem.unary, problem.pairs, 1 << 20);
    for (int question = 0; question < 6; ++question) {
      const auto forced = random_forces(problem, random);
      const Problem same = forced_problem(problem, forced);
      const Assignment best = many.best(forced), plain = minimise(same.unary, same.pairs, 1 << 20);
      EXPECT_EQ(best.state, plain.state);
      EXPECT_EQ(best.cost, plain.cost);
      EXPECT_TRUE(best.exact());
    }
  }
}

TEST(MinSum, BoundsAndKeepsToForcedStatesWithinTheBudget) {
  Random random(4);
  for (int round = 0; round < rounds(500, 5000); ++round) {
    const Problem problem = random_problem(random);
    MinSum many(problem.unary, problem.pairs, 1 + random() % 8);
    for (int question = 0; question < 4; ++question) {
      const auto forced = random_forces(problem, random);
      const Assignment found = many.best(forced);
      const Cost best = brute_force(forced_problem(problem, forced));
      EXPECT_LE(found.bound, best);
      EXPECT_LE(best, found.cost);
      EXPECT_EQ(found.cost, total(problem, found.state));
      for (const auto& [variable, state] : forced) EXPECT_EQ(found.state[variable], state);
    }
  }
}

TEST(MinSum, SaysWhatEachStateOfAVariableCosts) {
  Random random(5);
  for (int round = 0; round < rounds(500, 5000); ++round) {
    const Problem problem = random_problem(random);
    const bool exact = random() % 2 == 0;
    MinSum many(problem.unary, problem.pairs, exact ? 1 << 20 : 1 + random() % 8);
    const auto v = static_cast<uint32_t>(random() % problem.unary.size());
    const std::vector<Assignment> best = many.best_each(v);
    const std::vector<Cost> bounds = many.bounds_each(v);
    ASSERT_EQ(best.size(), problem.unary[v].size());
    for (uint32_t s = 0; s < best.size(); ++s) {
      const Cost least = brute_force(forced_problem(problem, {{{v, s}}}));
      EXPECT_EQ(best[s].state[v], s);
      EXPECT_EQ(best[s].bound, bounds[s]);
      EXPECT_EQ(best[s].cost, total(problem, best[s].state));
      EXPECT_LE(least, best[s].cost);
      EXPECT_LE(bounds[s], least);
      EXPECT_TRUE(!exact || (least == bounds[s] && least == best[s].cost));
    }
  }
}

// A chain of layers that are alike, of which each is minimised as if it were alone.
TEST(MinSum, EqualsBruteForceOfLayersThatAreAlike) {
  Random random(6);
  for (int round = 0; round < rounds(300, 3000); ++round) {
    const size_t states = 1 + random() % 3;
    Costs own, table;
    for (size_t s = 0; s < states; ++s) own.push_back(random_cost(random, 5));
    for (size_t s = 0; s < states * states; ++s) table.push_back(random_cost(random, 5));
    const auto shared = std::make_shared<const Costs>(table);
    Problem problem;
    for (uint32_t v = 0; v < 8; ++v) {
      problem.unary.push_back(own);
      if (v > 0) problem.pairs.push_back({v - 1, v, shared});
    }
    EXPECT_EQ(minimise(problem.unary, problem.pairs, 100).cost, brute_force(problem));
  }
}

TEST(MinSum, RefusesCostsBeyond64Bits) {
  const std::vector<Costs> unary = {{{int64_t{1} << 61}}, {{int64_t{1} << 61}}};
  EXPECT_THROW(minimise(unary, {}, 100), PlanError);
}

// Variables that each agree with, or pay for differing from, some earlier ones: the shape of a
// graph of operators. A price is paid unless the states fit.
Problem random_dag(Random& random, size_t variables) {
  Problem problem;
  std::vector<int64_t> size;
  for (size_t v = 0; v < variables; ++v) {
    const size_t states = 2 + random() % 9;
    size.push_back(1 + static_cast<int64_t>(random() % 1000));
    problem.unary.emplace_back();
    for (size_t s = 0; s < states; ++s) {
      problem.unary.back().push_back({size.back() * static_cast<int64_t>(1 + random() % 8)});
    }
    for (size_t input = 0; v > 0 && input < 1 + random() % 2; ++input) {
      const auto u = static_cast<uint32_t>(v - 1 - random() % std::min<size_t>(v, 40));
      Costs costs;
      for (size_t s = 0; s < problem.unary[u].size(); ++s) {
        for (size_t t = 0; t < states; ++t) costs.push_back({s % 5 == t % 5 ? 0 : size[u]});
      }
      problem.pairs.push_back(
          {u, static_cast<uint32_t>(v), std::make_shared<Costs>(std::move(costs))});
    }
  }
  return problem;
}

TEST(MinSum, ProvesTwoThousandVariablesWithinFivePercent) {
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(rounds(2, 10)); ++seed) {
    Random random(seed);
    const Problem problem = random_dag(random, 2000);
    const auto start = std::chrono::steady_clock::now();
    const Assignment found = minimise(problem.unary, problem.pairs, 10000);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double gap = static_cast<double>(found.cost.main - found.bound.main) /
                       static_cast<double>(found.bound.main);
    std::printf("2000 variables, %zu tables: %.2f s, width %d, within %.2f %%\n",
                problem.pairs.size(), seconds.count(), found.width, 100 * gap);
    EXPECT_LE(gap, 0.05);
  }
}

}  // namespace
}  // namespace einsummable
