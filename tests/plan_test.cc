// SPDX-License-Identifier: Apache-2.0
#include "einsummable/plan.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/compile.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/workloads/ffn.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

std::string message(std::string_view file) {
  try {
    parse_plan_file(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Plan small_plan() {
  Random random(5);
  return make_plan(random_graph(random, 8, DType::f32), {.devices = 3, .objective = kProxy});
}

TEST(PlanFile, ReadsBackToTheSamePlan) {
  for (int round = 0; round < rounds(60, 1000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const Graph graph = random_graph(random, 4 + round % 9, DType::f32);
    const int64_t devices = 1 + round % 9;
    const Plan plan =
        make_plan(graph, {.devices = devices,
                          .selector = round % 2 ? Selector::random : Selector::optimal,
                          .seed = static_cast<uint64_t>(round)});
    const std::string file = plan_file(plan);
    const Plan back = parse_plan_file(file);
    EXPECT_EQ(plan_file(back), file);
    require_plan_of(back, graph);
  }
}

TEST(PlanFile, NamesWhatDiffers) {
  const std::string file = plan_file(small_plan());
  EXPECT_EQ(message(""), "plan file: the first line must be 'einsummable plan 1'");
  EXPECT_EQ(message("einsummable plan 1\n"), "plan file: the section 'graph' is missing");
  std::string other = file;
  other[other.find("fingerprint ") + 12] = 'x';
  EXPECT_TRUE(message(other).starts_with("plan file: the fingerprint is not that of the graph"));
  other = file;
  other.replace(other.find("\nsites 3"), 8, "\nsites 4");
  EXPECT_NE(message(other), "no error");
}

TEST(PlanFile, HoldsItsObjectiveAndItsMachine) {
  const Graph graph = workloads::ffn(8, 4, 16, DType::f32);
  const auto machine =
      std::make_shared<const MachineSites>(MachineSites{load_machine("dgx-v100"), {0, 0, 5}});
  const Plan plan = make_plan(graph, {.devices = 3, .machine = machine});
  const std::string file = plan_file(plan);
  const Plan back = parse_plan_file(file);
  EXPECT_EQ(plan_file(back), file);
  EXPECT_EQ(back.objective, Objective::time);
  EXPECT_EQ(back.machine->devices, machine->devices);
  EXPECT_EQ(print(back.machine->machine), print(machine->machine));
  EXPECT_EQ(predict(back, options_of(back)).simulated,
            predict(plan, {.machine = machine}).simulated);
  EXPECT_EQ(parse_plan_file(plan_file(small_plan())).objective, Objective::proxy);

  const auto with = [&](std::string_view what, std::string_view instead) {
    std::string other = file;
    const size_t at = other.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return other.replace(at, what.size(), instead);
  };
  EXPECT_EQ(message(with("objective time", "objective speed")),
            "plan file: the third line must be 'objective time' or 'objective proxy'");
  EXPECT_TRUE(message(with("objective time", "objective proxy"))
                  .starts_with("plan file: the fingerprint is not that of"));
  EXPECT_TRUE(message(with("devices 0 0 5", "devices 0 0 4"))
                  .starts_with("plan file: the fingerprint is not that of"));
  for (std::string_view wrong :
       {"devices 0 0", "devices 0 0 5 6", "devices", "0 0 5", "devices 0 0 -5", "devices 0 0 x",
        "devices 0  0 5", "devices 0 0 99999999999999999999"}) {
    EXPECT_EQ(message(with("devices 0 0 5", wrong)),
              "plan file: the machine begins with 'devices' and a number for each of 3 sites")
        << wrong;
  }
  EXPECT_NE(message(with("devices 0 0 5", "devices 0 0 8")).find("8"), std::string::npos);
  EXPECT_NE(message(with("name = \"dgx-v100\"", "name = 3")).find("the plan's machine"),
            std::string::npos);
}

TEST(PlanFile, HoldsTheDTypeOfPartialSums) {
  const Graph graph = workloads::ffn(8, 4, 16, DType::f32);
  const std::string file = plan_file(make_plan(graph, {.devices = 2, .objective = kProxy}));
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const Plan plan = make_plan(graph, {.devices = 2, .objective = kProxy, .partial_dtype = dtype});
    const std::string with = plan_file(plan);
    const Plan back = parse_plan_file(with);
    EXPECT_EQ(plan_file(back), with);
    EXPECT_EQ(back.physical->partial_dtype, dtype);
    EXPECT_NE(fingerprint(back), fingerprint(parse_plan_file(file)));
    // Without its line the preambles are others, or the fingerprint is.
    std::string without = with;
    const size_t line = without.find("partial_dtype ");
    without.erase(line, without.find('\n', line) + 1 - line);
    EXPECT_NE(message(without), "no error");
    for (std::string_view wrong : {"f8", "i32", "bool", "", "f32 f32"}) {
      std::string other = with;
      other.replace(line, with.find('\n', line) - line, "partial_dtype " + std::string(wrong));
      EXPECT_TRUE(message(other).starts_with("physical plan text, line 3, ")) << message(other);
    }
  }
  EXPECT_EQ(file.find("partial_dtype"), std::string::npos);
}

TEST(PlanFile, APlanOfAnotherGraphIsRefused) {
  const Plan plan =
      make_plan(workloads::ffn(8, 4, 16, DType::f32), {.devices = 2, .objective = kProxy});
  EXPECT_NO_THROW(require_plan_of(plan, workloads::ffn(8, 4, 16, DType::f32)));
  try {
    require_plan_of(plan, workloads::ffn(8, 4, 32, DType::f32));
    FAIL() << "no error";
  } catch (const PlanError& error) {
    EXPECT_TRUE(
        std::string(error.what()).starts_with("the plan is for another graph: it has '%1 ="))
        << error.what();
  }
}

// Lowering takes an aggregate to be of one region, which a valid program need not keep to.
TEST(PlanFile, AProgramThatMergesPartsOfDifferentRegionsIsRefused) {
  const Graph graph = workloads::ffn(4, 2, 6, DType::f32);
  std::string file = plan_file(make_plan(
      graph,
      {.devices = 2, .pins = {{"up", {{"k", 2}}}, {"relu", {{"i1", 2}}}, {"down", {{"i", 2}}}}}));
  EXPECT_EQ(message(file), "no error");
  const auto add_after = [&](std::string_view line, std::string_view added) {
    const size_t at = file.find(line);
    ASSERT_NE(at, std::string::npos) << file;
    file.insert(at + line.size(), added);
  };
  add_after("| t4.1 @ 0 -> 1\n", "| t4.0+t4.1 @ 0\n");
  add_after("derive t4.1 @ 1 received 0\n", "derive t4.0+t4.1 @ 0 from t4.0, t4.1\n");
  EXPECT_EQ(message(file),
            "plan file: closure: the exchange program of \"down\": t4.0+t4.1 @ 0 mixes regions");
}

TEST(PlanFile, MutatedTextGivesASoundPlanOrAnError) {
  const std::string file = plan_file(small_plan());
  Random random(1);
  int64_t refused = 0;
  const int count = rounds(1500, 20000);
  for (int round = 0; round < count; ++round) {
    std::string mutated = file;
    const auto at = static_cast<size_t>(random_below(random, static_cast<int64_t>(file.size())));
    switch (random() % 3) {
      case 0:
        mutated[at] = static_cast<char>(random() % 128);
        break;
      case 1:
        mutated.erase(at, 1 + random() % 9);
        break;
      default: {
        const size_t line = mutated.find('\n', at);
        if (line != std::string::npos) mutated.erase(line, mutated.find('\n', line + 1) - line);
      }
    }
    try {
      const Plan plan = parse_plan_file(mutated);
      compile(plan, {.devices = plan.physical->sites, .objective = kProxy});
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, count * 3 / 4);
}

}  // namespace
}  // namespace einsummable
