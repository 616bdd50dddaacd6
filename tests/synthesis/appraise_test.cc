// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/appraise.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

TEST(Appraise, TellsTimeAndCriticalPathInWords) {
  const Topology topology = resolve_first(load_machine("dgx-h100"), 2);
  const Appraise appraise = appraise_on(topology, {.ideal = true});
  const Program program = parse("IN: A @ 0; B @ 1\nOUT: A+B @ 1\nA @ 0 -> 1; A+B @ 1").program;
  const Appraisal appraisal = appraise(program, {});
  EXPECT_NEAR(appraisal.seconds, 3.118e-3, 1e-6);
  EXPECT_EQ(appraisal.critical_path.substr(0, appraisal.critical_path.find("busy")),
            "A @ 0 -> 1 from 0 to 2.222 ms\n"
            "A+B aggregated at 1 from 2.222 to 3.118 ms\n"
            "egress 0 is ");
}

TEST(Appraise, LongPathsAndManyResourcesAreCutShort) {
  std::string text = "IN: a0 @ 0";
  for (int i = 1; i < 100; ++i) text += "; a" + std::to_string(i) + " @ 0";
  text += "\nOUT: a0 @ 1\n";
  for (int i = 0; i < 100; ++i) text += "a" + std::to_string(i) + " @ 0 -> 1\n";
  const Topology topology = resolve_first(load_machine("dgx-h100"), 2);
  const std::string path = appraise_on(topology)(parse(text).program, {}).critical_path;
  EXPECT_EQ(path.substr(0, path.find('\n')), "60 steps, and then");
  EXPECT_LE(std::ranges::count(path, '\n'), 46);
}

TEST(Appraise, AMissingSiteIsTheSimulatorsError) {
  const Topology topology = resolve_first(load_machine("dgx-h100"), 2);
  const Program program = parse("IN: A @ 0\nOUT: A @ 7\nA @ 0 -> 7").program;
  EXPECT_THROW(appraise_on(topology)(program, {}), TopologyError);
}

TEST(Appraise, ReplicasMadeOfDifferentPartsAreRefused) {
  const Topology topology = resolve_first(load_machine("dgx-h100"), 2);
  const Program program =
      parse("IN: A+B @ 0; C @ 0; A @ 1; B+C @ 1\nOUT: A+B+C @ 0, 1\nA+B+C @ 0, 1").program;
  try {
    appraise_on(topology)(program, {});
    FAIL();
  } catch (const ExchangeError& error) {
    EXPECT_STREQ(error.what(), "replicas of an aggregate are made of different parts");
  }
}

}  // namespace
}  // namespace einsummable::synthesis
