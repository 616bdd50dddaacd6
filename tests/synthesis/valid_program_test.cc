// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/valid_program.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

std::vector<SiteId> holders(const ValidProgram& valid, std::initializer_list<int64_t> atoms) {
  Program program = valid.program();
  std::vector<AtomId> ids;
  for (int64_t a : atoms) ids.emplace_back(a);
  const auto sites = valid.holders(program.aggregate(ids));
  return {sites.begin(), sites.end()};
}

TEST(ValidProgram, KnowsWhatIsWhereAndOfWhatItIsMade) {
  const ValidProgram valid(
      parse("IN: A @ 0; B @ 1; C @ 1\nOUT: A+B+C @ 1\nA @ 0 -> 1; A+B+C @ 1 -> 2").program);
  EXPECT_EQ(holders(valid, {0}), (std::vector<SiteId>{SiteId(0), SiteId(1)}));
  EXPECT_EQ(holders(valid, {0, 1, 2}), (std::vector<SiteId>{SiteId(1), SiteId(2)}));
  const AggregateId sum = valid.program().body()[1].aggregate;
  EXPECT_EQ(valid.parts(sum, SiteId(1)),
            (std::vector<AtomSet>{{AtomId(0)}, {AtomId(1)}, {AtomId(2)}}));
  EXPECT_TRUE(valid.parts(sum, SiteId(2)).empty());
  EXPECT_TRUE(valid.holds(SiteId(2), sum));
  EXPECT_FALSE(valid.holds(SiteId(0), sum));
}

TEST(ValidProgram, ASplitAggregateIsWhereAllItsPiecesAre) {
  const ValidProgram valid(parse("IN: A @ 0; B @ 1\nOUT: A+B @ 1\nSPLIT: A, B into 2\n"
                                 "A @ 0 -> 1; A.0 @ 0 -> 2; A+B @ 1")
                               .program);
  EXPECT_EQ(holders(valid, {0}), (std::vector<SiteId>{SiteId(0), SiteId(1)}));
  const AggregateId sum = valid.program().body()[2].aggregate;
  EXPECT_EQ(valid.parts(sum, SiteId(1)), (std::vector<AtomSet>{{AtomId(0)}, {AtomId(1)}}));
}

TEST(ValidProgram, FixesMembersGivenOrFound) {
  const Program program =
      parse("PARTITIONS: G {size 1} H {size 1}\nIN: A @ 0; B @ 1\nOUT: A @ G\n").program;
  const ValidProgram found(program);
  EXPECT_EQ(found.sites(PartitionId(0))[0], SiteId(0));
  EXPECT_THROW(ValidProgram(program, Members{{SiteId(1)}, {SiteId(0)}}), ExchangeError);
}

TEST(ValidProgram, AnInvalidProgramGivesTheCheckersReason) {
  try {
    ValidProgram(parse("IN: A @ 0\nOUT: A @ 1\n").program);
    FAIL();
  } catch (const ExchangeError& error) {
    EXPECT_STREQ(error.what(), "OUT is not met: A is never at 1");
  }
}

}  // namespace
}  // namespace einsummable::synthesis
