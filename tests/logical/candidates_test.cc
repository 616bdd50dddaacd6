// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/candidates.h"

#include <gtest/gtest.h>

#include <set>

#include "einsummable/base/error.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/workloads/ffn.h"
#include "tests/logical/oracle.h"
#include "tests/logical/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

std::vector<std::string> counts(const Graph& g, int64_t p, std::string_view op) {
  const Candidates candidates(g, p, {}, communication_proxy());
  std::vector<std::string> out;
  for (const Candidate& c : candidates.of(g.find_op(op)).all) out.push_back(counts_text(*c.spec));
  return out;
}

std::string reason(const Graph& g, int64_t p, std::string_view op) {
  return optimise(g, {.p = p}).ops[g.find_op(op).index()].reason;
}

template <class Call>
std::string plan_error(const Call& call) {
  try {
    call();
  } catch (const PlanError& error) {
    return error.what();
  }
  return "none";
}

Graph product(const Shape& x, const Shape& w) {
  Graph g;
  g.save(g.apply("matmul", {g.input(DType::f32, x, "x"), g.input(DType::f32, w, "w")}, {},
                 "product")[0]);
  return g;
}

Graph attention(int64_t heads, int64_t heads_kv, int64_t s, const Attributes& attributes) {
  Graph g;
  const TensorId q = g.input(DType::f32, {heads, s, 4}), kv = g.input(DType::f32, {heads_kv, s, 4});
  g.save(g.apply("attention", {q, kv, kv}, attributes, "attention")[0]);
  return g;
}

TEST(Candidates, AreAllOrderedFactorisations) {
  EXPECT_EQ(counts(product({8, 8}, {8, 8}), 4, "product"),
            (std::vector<std::string>{"i=1 j=1 k=4", "i=1 j=2 k=2", "i=1 j=4 k=1", "i=2 j=1 k=2",
                                      "i=2 j=2 k=1", "i=4 j=1 k=1"}));
  EXPECT_EQ(counts(product({12, 12}, {12, 12}), 12, "product").size(), 18u);
}

TEST(Candidates, TakeTheLargestCountBelowPAndSayWhy) {
  const Graph g = product({2, 1}, {1, 3});
  EXPECT_EQ(counts(g, 8, "product"), (std::vector<std::string>{"i=2 j=1 k=3"}));
  EXPECT_EQ(reason(g, 8, "product"),
            "8 cells are not possible (i at most 2, j at most 1, k at most 3); 6 are the most");
  EXPECT_EQ(reason(g, 6, "product"), "");
}

TEST(Candidates, OfAttentionAreByQueryWhereHeadsAndEndsDoNotGiveP) {
  const Graph one = attention(4, 2, 16, {{"causal", true}});
  EXPECT_EQ(reason(one, 2, "attention"), "");
  EXPECT_EQ(reason(one, 8, "attention").substr(0, 12), "cut by query");
  EXPECT_EQ(optimise(one, {.p = 8}).ops[0].spec->cells(), 8);
  const Graph packed = attention(4, 2, 16, {{"ends", Shape{4, 8, 12, 16}}});
  EXPECT_EQ(reason(packed, 8, "attention"), "");
}

// Hundreds of millions of lists of counts: those that cut few axes are tried.
TEST(Candidates, OfManyIndicesCutFewOfThem) {
  Graph g;
  g.save(g.apply("exp", {g.input(DType::boolean, Shape(14, 4))}, {}, "four")[0]);
  for (int64_t p : {64, 4096}) {
    const std::vector<std::string> found = counts(g, p, "four");
    EXPECT_GE(found.size(), 14u);
    EXPECT_LE(found.size(), 4000u);
  }
}

// Nearly all the work lies in one of two sequences: cutting between them would leave a device idle.
TEST(Candidates, CutNoIndexOutOfBalance) {
  const Graph g = attention(1, 1, 100, {{"ends", Shape{3, 100}}});
  for (const std::string& each : counts(g, 2, "attention")) {
    EXPECT_EQ(each.find("s=2"), std::string::npos) << each;
  }
}

TEST(Candidates, OfLayoutOperatorsTakeAnyCountThatDividesAWidthInUse) {
  Graph g;
  const TensorId x = g.input(DType::f32, {8, 3}), w = g.input(DType::f32, {3, 1});
  g.save(g.apply("transpose", {x}, {}, "turned")[0]);
  g.save(g.apply("matmul", {x, w}, {}, "product")[0]);
  // Widths in use: 11 and, for the product, 10.
  const Candidates candidates(g, 11, {}, communication_proxy());
  std::set<int64_t> cells;
  for (const Candidate& c : candidates.of(g.find_op("turned")).all) cells.insert(c.spec->cells());
  EXPECT_EQ(cells, (std::set<int64_t>{1, 2, 5, 10}));
}

TEST(Candidates, AreSharedByLayers) {
  Graph g;
  TensorId x = g.input(DType::f32, {8, 8});
  for (int i = 0; i < 4; ++i) x = g.apply("matmul", {x, g.parameter(DType::f32, {8, 8})})[0];
  g.save(x);
  const Candidates candidates(g, 4, {}, communication_proxy());
  for (OpId op : all_ops(g)) EXPECT_EQ(&candidates.of(op), &candidates.of(OpId(0)));
}

TEST(Candidates, EachSpecTilesAndHasTheCellsItShould) {
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds(100, 1000); ++round) {
    const Graph g = random_graph(random, {.ops = 8});
    const int64_t p = 1 + static_cast<int64_t>(random() % 12);
    const Candidates candidates(g, p, {}, communication_proxy());
    for (OpId op : all_ops(g)) {
      const CandidateSet& set = candidates.of(op);
      std::set<std::vector<Cuts>> seen;
      for (const Candidate& c : set.all) {
        EXPECT_TRUE(seen.insert(c.spec->cuts()).second);
        EXPECT_TRUE(set.signature->layout || c.spec->cells() == set.width);
        EXPECT_LE(c.spec->cells(), p);
        for (size_t i = 0; i < c.spec->cuts().size(); ++i) {
          EXPECT_TRUE(is_balanced(set.signature->indices[i], c.spec->cuts()[i]));
        }
      }
      EXPECT_EQ(set.width < p && !set.signature->layout,
                !set.reason.empty() && set.reason.substr(0, 6) != "cut by")
          << set.reason;
    }
  }
}

TEST(Pins, AreKept) {
  const Graph g = workloads::ffn(64, 16, 32);
  const LogicalPlan plan =
      optimise(g, {.p = 8, .pins = {{"up", {{"i", 8}}}, {"down", {{"j", 2}}}}});
  EXPECT_EQ(counts_text(*plan.ops[g.find_op("up").index()].spec), "i=8 j=1 k=1");
  EXPECT_EQ(count_of(plan.ops[g.find_op("down").index()].spec->cuts()[1]), 2);
  EXPECT_GE(plan.cost.main, optimise(g, {.p = 8}).cost.main);
}

TEST(Pins, MayNameTheIndicesOfALaterSignature) {
  const Graph g = attention(8, 8, 16, {});
  const LogicalPlan plan = optimise(g, {.p = 8, .pins = {{"attention", {{"h", 2}, {"q", 4}}}}});
  EXPECT_EQ(plan.ops[0].spec->signature().name, "query");
  EXPECT_EQ(plan.ops[0].spec->cells(), 8);
}

TEST(Pins, ThatCannotBeMetListWhatCan) {
  const Graph g = product({8, 2}, {2, 1});
  const auto pinned = [&](const Pins& pins) {
    return plan_error([&] { optimise(g, {.p = 4, .pins = pins}); });
  };
  EXPECT_EQ(pinned({{"product", {{"i", 3}}}}),
            "matmul \"product\" cannot be cut as i=3 on 4 devices; legal counts are: i=2 j=2 k=1; "
            "i=4 j=1 k=1");
  EXPECT_EQ(pinned({{"product", {{"z", 2}}}}),
            "matmul \"product\" cannot be cut as z=2 on 4 devices; legal counts are: i=2 j=2 k=1; "
            "i=4 j=1 k=1");
  EXPECT_EQ(pinned({{"none", {{"i", 2}}}}), "there is no operator called \"none\" to pin");
}

TEST(Costs, ThatDoNotFitNameTheOperator) {
  Graph g;
  const int64_t extent = int64_t{1} << 29;
  const auto matrix = [&](const char* name) { return g.input(DType::f32, {extent, extent}, name); };
  const TensorId x = g.apply("matmul", {matrix("a"), matrix("b")}, {}, "first")[0];
  g.save(g.apply("matmul", {x, matrix("c")}, {}, "second")[0]);
  for (Selector selector : {Selector::optimal, Selector::paper, Selector::greedy}) {
    EXPECT_EQ(plan_error([&] { optimise(g, {.p = 8, .selector = selector}); }),
              "matmul \"first\": the costs up to here do not fit in 64 bits; a plan is of costs "
              "below 2^59 elements");
  }
  EXPECT_EQ(plan_error([&] { optimise(g, {.p = 4096}); }),
            "matmul \"first\": a size does not fit in 64 bits (multiplication); a plan is of costs "
            "below 2^59 elements");
}

TEST(Options, RefuseAProcessorCountOutOfRange) {
  const Graph g = product({8, 8}, {8, 8});
  for (int64_t p : {int64_t{0}, int64_t{-1}, kMaximalProcessors + 1}) {
    EXPECT_EQ(plan_error([&] { optimise(g, {.p = p}); }),
              "a plan is for 1 to 4096 processors, not for " + std::to_string(p));
  }
  EXPECT_EQ(optimise(g, {.p = kMaximalProcessors}).ops[0].spec->cells(), 512);
}

TEST(Options, AGraphWithoutOperatorsHasAPlan) {
  Graph g;
  g.save(g.input(DType::f32, {2}));
  const LogicalPlan plan = optimise(g, {.p = 4});
  EXPECT_EQ(plan.cost, Cost{});
  EXPECT_TRUE(plan.exact());
  EXPECT_NO_THROW(verify(plan, g));
}

}  // namespace
}  // namespace einsummable
