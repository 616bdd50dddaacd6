// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/priced_problem.h"

#include <gtest/gtest.h>

#include "einsummable/logical/choice.h"
#include "einsummable/logical/time_problem.h"
#include "tests/logical/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;
using Merging = PricedProblem::Merging;

std::vector<uint32_t> random_states(const PlanProblem& problem, Random& random) {
  std::vector<uint32_t> out;
  for (const auto& row : problem.unary) out.push_back(static_cast<uint32_t>(random() % row.size()));
  return out;
}

std::vector<uint32_t> picks_of(const PlanProblem& problem, std::span<const uint32_t> states) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < problem.ops(); ++i) out.push_back((*problem.picks[i])[states[i]]);
  return out;
}

Cost total(const std::vector<std::vector<Cost>>& unary, const std::vector<PairTable>& pairs,
           std::span<const uint32_t> states) {
  Cost cost;
  for (size_t v = 0; v < unary.size(); ++v) cost += unary[v][states[v]];
  for (const PairTable& pair : pairs) {
    cost += (*pair.cost)[states[pair.a] * unary[pair.b].size() + states[pair.b]];
  }
  return cost;
}

TEST(PlanProblem, CostsWhatItsPlansCost) {
  Random random(1);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 8)});
    const auto p = static_cast<int64_t>(1 + random() % 8);
    const Candidates most(g, p, {}, communication_proxy());
    const PlanProblem proxy = proxy_problem(most);
    const auto states = random_states(proxy, random);
    EXPECT_EQ(cost_of(proxy, states), cost_of(most, picks_of(proxy, states)));

    const Topology topology = switched(p, 10);
    TimeModel model(topology);
    const Candidates divisors(g, p, {}, communication_proxy(), Offer::divisors);
    const PlanProblem time = time_problem(divisors, model);
    const auto any = random_states(time, random);
    std::vector<JoinAggSpec> specs;
    for (size_t i = 0; i < time.ops(); ++i) {
      specs.push_back(
          *divisors.candidate(OpId(static_cast<int64_t>(i)), (*time.picks[i])[any[i]]).spec);
    }
    EXPECT_EQ(cost_of(time, any).main, planned_time(g, specs, model).total) << text(g);
  }
}

TEST(PricedProblem, AddsPriceTimesBytesToTheCost) {
  Random random(2);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 8)});
    const Candidates candidates(g, static_cast<int64_t>(1 + random() % 8), {},
                                communication_proxy());
    const PricedProblem problem(candidates, proxy_problem(candidates), {}, Merging::at_one_site);
    PricedProblem::Weights weights;
    for (size_t t = 0; t < g.tensors().size(); ++t) {
      weights.push_back(static_cast<double>(random() % 5) / 4);
    }
    const auto states = random_states(problem.plain(), random);
    const double bytes = problem.bytes(states, weights);
    const Cost plain = cost_of(problem.plain(), states);
    const double rounding = static_cast<double>(g.ops().size() + candidates.edges().size());
    const auto priced = problem.priced(std::vector<double>(g.ops().size(), 3), weights);
    const Cost cost = total(priced.unary, priced.pairs, states);
    EXPECT_NEAR(static_cast<double>(cost.main), static_cast<double>(plain.main) + 3 * bytes,
                rounding);
    EXPECT_EQ(cost.aggregations, plain.main);
    const auto alone = problem.bytes_alone(weights);
    EXPECT_NEAR(static_cast<double>(total(alone.unary, alone.pairs, states).main),
                problem.byte_scale() * bytes, rounding);
  }
}

// x [8, 16] times w [16, 4], cut along the contraction in 4: a site reads 8 x 4 of x and 4 x 4 of w
// and makes partial results of 8 x 4.
TEST(PricedProblem, CountsBlocksOfWhatIsReadAndMade) {
  Graph g;
  const TensorId x = g.input(DType::f16, {8, 16}, "x");
  const TensorId w = g.parameter(DType::f16, {16, 4}, "w");
  const TensorId y = g.apply("matmul", {x, w}, {}, "product")[0];
  g.save(y, "y");
  const Candidates candidates(g, 4, {{"product", {{"j", 4}}}}, communication_proxy());
  const std::vector<uint32_t> only = {0};
  const auto bytes = [&](Merging merging, std::optional<DType> partial, double of_y) {
    PricedProblem::Weights weights(3, 1);
    weights[y.index()] = of_y;
    return PricedProblem(candidates, proxy_problem(candidates), partial, merging)
        .bytes(only, weights);
  };
  const double given = 2 * (8 * 4 + 4 * 4), block = 8 * 4;
  EXPECT_EQ(bytes(Merging::in_place, {}, 0), given);
  EXPECT_EQ(bytes(Merging::in_place, {}, 1), given + 4 * block);
  EXPECT_EQ(bytes(Merging::in_place, DType::f16, 1), given + 2 * block);
  EXPECT_EQ(bytes(Merging::spread, {}, 1), given + 2 * 4 * block);
  EXPECT_EQ(bytes(Merging::at_one_site, {}, 0.5), given + 0.5 * 4 * 4 * block);
}

}  // namespace
}  // namespace einsummable
