// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/logical/logical_plan.h"
#include "einsummable/logical/optimise.h"
#include "einsummable/workloads/ffn.h"
#include "tests/logical/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

std::string error_of(const std::string& plan, const Graph& graph) {
  try {
    parse_logical_plan(plan, graph);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "none";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const char kFfnPlan[] = R"(logical 1
p 4
selector optimal
cost 608 2 160
bound 608 2 160
width 1
spec "up" i {0, 4, 8} k {0, 8, 16}
spec "relu" i0 {0, 4, 8} i1 {0, 8, 16}
spec "down" i {0, 4, 8} j {0, 8, 16}
)";

TEST(PlanText, SaysWhereEachOperatorIsCut) {
  const Graph g = workloads::ffn(8, 4, 16);
  const LogicalPlan plan = optimise(g, {.p = 4});
  EXPECT_EQ(text(plan, g), kFfnPlan);
}

TEST(PlanText, ParsesBackToTheSameText) {
  Random random(1);
  for (int round = 0; round < rounds(100, 1000); ++round) {
    const Graph g = random_graph(random, {.ops = 1 + static_cast<int>(random() % 10)});
    const LogicalPlan plan = optimise(g, {.p = 1 + static_cast<int64_t>(random() % 12),
                                          .selector = static_cast<Selector>(random() % 4),
                                          .seed = random()});
    const LogicalPlan again = parse_logical_plan(text(plan, g), g);
    EXPECT_EQ(text(again, g), text(plan, g));
    EXPECT_EQ(table(again, g), table(plan, g));
    EXPECT_NO_THROW(verify(again, g));
  }
}

TEST(PlanText, MutatedTextIsAPlanOrAPlanError) {
  Random random(2);
  const Graph g = workloads::ffn(8, 4, 16);
  const std::string original = kFfnPlan;
  const std::string bytes = "{}, \n\"0123456789abkpj-x";
  int refused = 0;
  for (int round = 0; round < rounds(3000, 100000); ++round) {
    std::string mutant = original;
    for (uint64_t i = 0; i <= random() % 3; ++i) {
      const size_t at = random() % mutant.size();
      switch (random() % 3) {
        case 0:
          mutant.erase(at, 1 + random() % 8);
          break;
        case 1:
          mutant.insert(at, 1, bytes[random() % bytes.size()]);
          break;
        default:
          mutant[at] = bytes[random() % bytes.size()];
      }
    }
    try {
      verify(parse_logical_plan(mutant, g), g);
    } catch (const PlanError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds(3000, 100000) / 2);
}

TEST(PlanText, ErrorsNameWhatDiffers) {
  const Graph g = workloads::ffn(8, 4, 16);
  const std::string good = kFfnPlan;
  EXPECT_EQ(error_of(good, g), "none");
  EXPECT_EQ(error_of(replaced(good, "cost 608", "cost 609"), g),
            "cost: the file says 609 2 160, its specs cost 608 2 160");
  EXPECT_EQ(error_of(replaced(good, "\"relu\"", "\"gelu\""), g),
            "the graph has no operator called \"gelu\"");
  EXPECT_EQ(error_of(replaced(good, "spec \"relu\" i0 {0, 4, 8} i1 {0, 8, 16}\n", ""), g),
            "the plan has no spec for \"relu\"");
  EXPECT_EQ(error_of(replaced(good, "\"relu\" i0 {0, 4, 8} i1", "\"up\" k"), g),
            "the plan has two specs for \"up\"");
  EXPECT_EQ(error_of(replaced(good, "\"up\" i", "\"up\" z"), g), "\"up\" has no index called z");
  EXPECT_EQ(error_of(replaced(good, "\"up\"", "\"up\" by \"query\""), g),
            "\"up\" cannot be cut by \"query\"");
  EXPECT_EQ(error_of(replaced(good, "{0, 4, 8", "{0, 9, 8"), g),
            "\"up\" cannot be cut along i at {0, 9, 8}");
  EXPECT_EQ(error_of(replaced(good, "p 4", "p 3"), g),
            "\"up\" has more cells than the plan has processors, 3");
  EXPECT_EQ(error_of(replaced(good, "bound 608 2 160", "bound 608 3 160"), g),
            "bound: it is above the cost");
  EXPECT_EQ(error_of(replaced(good, "optimal", "best"), g).substr(0, 19), "line 3, column 10: ");
  EXPECT_EQ(error_of(replaced(good, "p 4", "p 0"), g),
            "a plan is for 1 to 4096 processors, not for 0");
}

TEST(PlanText, TheTableShowsCutsCellsAndCosts) {
  const Graph g = workloads::ffn(8, 4, 16);
  EXPECT_EQ(table(optimise(g, {.p = 4}), g),
            R"(operator  shape   cut        p  repartition  join  aggregation  share
up        8 x 16  i=2 k=2    4            0   192            0   32 %
relu      8 x 16  i0=2 i1=2  4            0   128            0   21 %
down      8 x 4   i=2 j=2    4            0   256           32   47 %
total 608 elements; exact (width 1, 3 operators)
)");
}

TEST(PlanText, TheTableSaysNothingOfScalarsThatCannotBeCut) {
  Graph g;
  const Attributes two = {{"shape", Shape{}}, {"values", std::vector<double>{2}}};
  const TensorId x = g.input(DType::f32, {8, 3}, "x"), c = g.apply("constant", {}, two, "two")[0];
  g.save(g.apply("multiply", {x, c}, {}, "double")[0]);
  g.save(g.apply("softmax", {x}, {{"axis", int64_t{0}}}, "softmax")[0]);
  const std::string shown = table(optimise(g, {.p = 4}), g);
  EXPECT_EQ(shown.find("two: "), std::string::npos) << shown;
  EXPECT_NE(shown.find("softmax: 4 cells are not possible"), std::string::npos) << shown;
}

}  // namespace
}  // namespace einsummable
