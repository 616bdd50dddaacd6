// SPDX-License-Identifier: Apache-2.0
// The selectors against brute force over listed cells.
#include <gtest/gtest.h>

#include "einsummable/logical/exact_optimizer.h"
#include "einsummable/logical/explain.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/logical/selectors.h"
#include "einsummable/logical/tree_optimizer.h"
#include "tests/logical/oracle.h"
#include "tests/logical/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12};
constexpr int64_t kBudget = 1 << 20;
constexpr double kMostCombinations = 20000;

int64_t random_p(Random& random) { return kCounts[random() % std::size(kCounts)]; }

TEST(Optimizers, OptimalEqualsBruteForceOverAllSpecs) {
  Random random(1);
  int compared = 0;
  for (int round = 0; round < rounds(400, 4000); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 6)});
    const int64_t p = random_p(random);
    const Candidates candidates(g, p, {}, communication_proxy());
    const Oracle oracle(candidates);
    const std::vector<OpId> ops = all_ops(g);
    if (oracle.combinations(ops) > kMostCombinations) continue;
    ++compared;
    const Choice best = choose_optimal(candidates, kBudget);
    const std::vector<bool> none(ops.size(), false);
    ASSERT_EQ(best.cost.main, oracle.best(ops, best.pick, none)) << "p = " << p << "\n" << text(g);
    EXPECT_EQ(best.cost.main, oracle.cost(best.pick));
    EXPECT_EQ(best.bound, best.cost);
  }
  EXPECT_GT(compared, rounds(400, 4000) / 4);
}

TEST(Optimizers, EverySelectorsCostIsThatOfItsSpecs) {
  Random random(2);
  for (int round = 0; round < rounds(200, 2000); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 10)});
    const LogicalOptions options{.p = random_p(random), .seed = random()};
    const int64_t best = optimise(g, options).cost.main;
    for (Selector selector :
         {Selector::optimal, Selector::paper, Selector::greedy, Selector::random}) {
      LogicalOptions other = options;
      other.selector = selector;
      const LogicalPlan plan = optimise(g, other);
      EXPECT_NO_THROW(verify(plan, g));
      EXPECT_GE(plan.cost.main, best) << name_of(selector) << "\n" << text(g);
      EXPECT_EQ(text(plan, g), text(optimise(g, other), g));
    }
  }
}

TEST(Optimizers, PaperIsTheBestOfEachPathInView0fThoseFixedBefore) {
  Random random(3);
  for (int round = 0; round < rounds(1000, 5000); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 7), .tree = true});
    const Candidates candidates(g, random_p(random), {}, communication_proxy());
    const Oracle oracle(candidates);
    const Choice paper = choose_paper(candidates);
    std::vector<bool> fixed(g.ops().size(), false);
    for (const std::vector<OpId>& path : paper_paths(g)) {
      if (oracle.combinations(path) <= kMostCombinations) {
        ASSERT_EQ(oracle.cost_of_part(path, paper.pick, fixed),
                  oracle.best(path, paper.pick, fixed))
            << text(g);
      }
      for (OpId op : path) fixed[op.index()] = true;
    }
    EXPECT_EQ(paper.cost.main, oracle.cost(paper.pick));
    EXPECT_GE(paper.cost, choose_optimal(candidates, kBudget).cost);
  }
}

TEST(Optimizers, PaperIsExactOnOnePath) {
  Graph g;
  TensorId x = g.input(DType::f32, {8, 6});
  for (int64_t k : {12, 4, 6}) {
    x = g.apply("matmul", {x, g.parameter(DType::f32, {g.type(x).extent(1), k})})[0];
  }
  g.save(x);
  for (int64_t p : kCounts) {
    EXPECT_EQ(optimise(g, {.p = p, .selector = Selector::paper}).cost, optimise(g, {.p = p}).cost);
  }
}

TEST(Optimizers, GreedyTakesTheCheapestSpecOfEachOperator) {
  Random random(4);
  for (int round = 0; round < rounds(50, 500); ++round) {
    const Graph g = random_graph(random, {});
    const Candidates candidates(g, random_p(random), {}, communication_proxy());
    const Choice greedy = choose_greedy(candidates);
    for (OpId op : all_ops(g)) {
      for (const Candidate& other : candidates.of(op).all) {
        EXPECT_LE(candidates.candidate(op, greedy.pick[op.index()]).cost.total, other.cost.total);
      }
    }
  }
}

TEST(Optimizers, RandomDrawsEveryCandidate) {
  Graph g;
  const TensorId x = g.input(DType::f32, {8, 8}), w = g.input(DType::f32, {8, 8});
  g.save(g.apply("matmul", {x, w})[0]);
  const Candidates candidates(g, 8, {}, communication_proxy());
  std::vector<int> drawn(candidates.of(OpId(0)).all.size(), 0);
  for (uint64_t seed = 0; seed < 1000; ++seed) ++drawn[choose_random(candidates, seed).pick[0]];
  EXPECT_EQ(drawn.size(), 10u);
  for (int times : drawn) EXPECT_GT(times, 50);
}

// A forced alternative costs what planning again with its counts pinned costs.
TEST(Explain, AnAlternativeCostsWhatItsPinCosts) {
  Random random(5);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 6)});
    const LogicalOptions options{.p = random_p(random)};
    const LogicalPlan plan = optimise(g, options);
    for (OpId id : all_ops(g)) {
      const std::string& name = g.op(id).name;
      const Explanation why = explain(g, options, name);
      EXPECT_EQ(why.alternatives.front().cost, plan.cost);
      int chosen = 0;
      for (const Alternative& each : why.alternatives) {
        LogicalOptions pinned = options;
        for (const auto& [index, count] : each.counts) pinned.pins[name][index] = count;
        ASSERT_EQ(optimise(g, pinned).cost, each.cost) << text(why) << text(g);
        EXPECT_EQ(each.repartition + each.join + each.aggregation, each.cost.main);
        EXPECT_EQ(each.delta, each.cost.main - plan.cost.main);
        EXPECT_EQ(each.lost_by.empty(), each.cost == plan.cost);
        chosen += each.chosen;
      }
      EXPECT_EQ(chosen, 1);
    }
  }
}

}  // namespace
}  // namespace einsummable
