// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/text.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/support/plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

Graph small_graph() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4, 6}, "x");
  const TensorId w = graph.parameter(DType::f32, {6, 2}, "w");
  const TensorId up = graph.apply("matmul", {x, w}, {}, "up")[0];
  graph.save(graph.apply("relu", {up}, {}, "hidden")[0], "y");
  return graph;
}

std::shared_ptr<const PhysicalPlan> small_plan() {
  return plan_of(small_graph(), 2, {{"up", {{"j", 2}}}, {"hidden", {{"i0", 2}}}});
}

PhysicalPlan parse(const std::string& text, const PhysicalPlan& plan) {
  return parse_physical_plan(text, plan.graph, plan.specs);
}

std::string message(const std::string& text) {
  const auto plan = small_plan();
  try {
    parse(text, *plan);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "no error";
}

// The small plan's text with one piece of it replaced.
std::string with(const std::string& piece, const std::string& by) {
  std::string out = text(*small_plan());
  const size_t at = out.find(piece);
  EXPECT_NE(at, std::string::npos) << piece << " is not in\n" << out;
  return at == std::string::npos ? out : out.replace(at, piece.size(), by);
}

TEST(PhysicalPlanText, ReadsWell) {
  EXPECT_EQ(text(*small_plan()), R"(physical 1
sites 2
place "up" 0 1
place "hidden" 0 1
fetch 0 site 0 [0:2, 0:2]
fetch 0 site 1 [2:4, 0:2]
step op 1 "hidden"
| exprog 1
| GPUS: 0, 1
| IN: t2.0.0 @ 0 (size: 16 B, grain: 4 B); t2.0.1 @ 1 (size: 16 B, grain: 4 B);
|     t2.1.0 @ 0 (size: 16 B, grain: 4 B); t2.1.1 @ 1 (size: 16 B, grain: 4 B)
| OUT: t2.0.0+t2.0.1 @ 0; t2.1.0+t2.1.1 @ 1
| BODY:
| t2.0.1 @ 1 -> 0
| t2.0.0+t2.0.1 @ 0
| t2.1.0 @ 0 -> 1
| t2.1.0+t2.1.1 @ 1
derive t2.0.1 @ 0 received 1
derive t2.1.0 @ 1 received 0
derive t2.0.0+t2.0.1 @ 0 from t2.0.0, t2.0.1
derive t2.1.0+t2.1.1 @ 1 from t2.1.0, t2.1.1
)");
}

TEST(PhysicalPlanText, ParsesBackToTheSameText) {
  for (int round = 0; round < rounds(60, 1500); ++round) {
    Random random(static_cast<uint64_t>(round));
    const Graph graph = random_graph(random, 3 + round % 10, DType::f32);
    const int64_t p = 1 + round % 9;
    const auto plan =
        plan_of(graph, {.p = p, .selector = Selector::random, .seed = random()},
                round % 3 ? Schedule() : searched_for(p, static_cast<uint64_t>(round)));
    const std::string whole = text(*plan);
    EXPECT_EQ(text(parse(whole, *plan)), whole);
  }
}

TEST(PhysicalPlanText, ErrorsNameTheLineAndWhatBelongsThere) {
  const std::string at = "physical plan text, line ";
  EXPECT_EQ(message(""), at + "1: 'physical' comes next, not the end");
  EXPECT_EQ(message("physical 1\n"), at + "2: 'sites' comes next, not the end");
  EXPECT_EQ(message(with("physical 1", "physical 2")),
            at + "1, column 11: this version reads plans of version 1");
  EXPECT_EQ(message(with("sites 2", "sites 0")),
            at + "2, column 8: a number of at least 1 and less than 4097 belongs here");
  EXPECT_EQ(message(with("\"up\"", "\"down\"")),
            at + "3, column 14: the placement of \"up\" comes next");
  EXPECT_EQ(message(with("\"up\" 0 1", "\"up\" 0 2")),
            at + "3, column 15: a number of at least 0 and less than 2 belongs here");
  EXPECT_EQ(message(with("\"up\" 0 1", "\"up\" 1 1")),
            at + "3, column 15: \"up\" needs 2 different sites");
  EXPECT_EQ(message(with("step op 1", "step op 0")), at + "7: step op 1 \"hidden\" comes next");
  EXPECT_EQ(message(with("received", "sent")), at + "18, column 19: expected 'from' before 'sent'");
  EXPECT_EQ(message(with("@ 0 received", "@ 3 received")),
            at + "18, column 19: a number of at least 0 and less than 2 belongs here");
  EXPECT_EQ(message(with("t2.0.1 @ 0 received", "t2.0.7 @ 0 received")),
            at + "18, column 15: there is no atom t2.0.7");
  EXPECT_EQ(message(with("from t2.0.0, t2.0.1", "from t2.0.0+t2.0.0, t2.0.1")),
            at + "20, column 44: an atom twice");
  EXPECT_EQ(message(with("derive t2.0.1 @ 0 received", "derive t2.0.1+t2.1.1 @ 0 received")),
            at + "18, column 22: the program never names this aggregate");
  EXPECT_EQ(message(text(*small_plan()) + "more\n"), at + "22: nothing follows the last step");
}

TEST(PhysicalPlanText, ErrorsSayWhatDoesNotFollowFromTheGraphAndSpecs) {
  EXPECT_EQ(message(with("fetch 0 site 0 [0:2", "fetch 0 site 0 [0:3")),
            "physical plan text: what is fetched of \"y\" is not what its producer left");
  const std::string of = "physical plan text, the program of op 1 \"hidden\"";
  EXPECT_EQ(message(with("\"up\" 0 1", "\"up\" 1 0")),
            of + ": its preamble is not that of the graph, specs and placement");
  EXPECT_EQ(message(with("| OUT", "| OUR")),
            of + ", line 5: there is no section OUR:; GPUS, SITES, PARTITIONS, IN, OUT, SPLIT and "
                 "BODY are");
}

TEST(PhysicalPlanText, MutatedTextGivesASoundPlanOrAnError) {
  Random random(7);
  const Graph graph = random_graph(random, 9, DType::f32);
  const auto plan =
      plan_of(graph, {.p = 4, .selector = Selector::random, .seed = 3}, searched_for(4, 3));
  const std::string whole = text(*plan);
  int64_t refused = 0;
  const int count = rounds(3000, 60000);
  for (int round = 0; round < count; ++round) {
    std::string mutated = whole;
    const auto at = static_cast<size_t>(random_below(random, std::ssize(whole)));
    switch (random() % 4) {
      case 0:
        mutated[at] = static_cast<char>(random() % 128);
        break;
      case 1:
        mutated.erase(at, 1 + random() % 9);
        break;
      case 2:
        mutated[at] = static_cast<char>('0' + random() % 10);
        break;
      default: {
        const size_t line = mutated.find('\n', at);
        if (line != std::string::npos) mutated.erase(line, mutated.find('\n', line + 1) - line);
      }
    }
    try {
      const PhysicalPlan back = parse(mutated, *plan);
      EXPECT_EQ(text(parse(text(back), *plan)), text(back));
    } catch (const PlanError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, count / 2);
}

}  // namespace
}  // namespace einsummable
