// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/polish.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "einsummable/base/error.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

// The largest number of bytes over any pair of sites, in GB, links 0-1 being ten times slower.
double slow_link(const Program& program, const Members& members) {
  std::map<std::pair<int32_t, int32_t>, double> load;
  for (const Action& action : program.body()) {
    for (const Place& place : action.destinations) {
      const std::vector<SiteId> sites =
          place.is_site() ? std::vector{place.site} : members[place.partition.index()];
      for (SiteId d : sites) {
        const std::pair<int32_t, int32_t> pair(action.source.site.value, d.value);
        const bool slow = pair.first + pair.second == 1;
        load[pair] += static_cast<double>(program.bytes(action.aggregate)) / 1e9 * (slow ? 10 : 1);
      }
    }
  }
  double most = 0;
  for (const auto& [pair, seconds] : load) most = std::max(most, seconds);
  return most;
}

TEST(Polish, FindsTheWayAroundASlowLink) {
  const Program program = parse(
                              "GPUS: 0, 1, 2\nIN: A @ 0; B @ 0; C @ 1\nOUT: A+B+C @ 1\n"
                              "A @ 0 -> 1; B @ 0 -> 1; A+B+C @ 1")
                              .program;
  const Polished polished = polish(program, {}, slow_link, {.evaluations = 60});
  EXPECT_EQ(polished.seconds, 1);
  EXPECT_TRUE(check(polished.program).ok());
  EXPECT_EQ(polished.seconds, slow_link(polished.program, {}));
  EXPECT_LE(polished.evaluations, 60);
  EXPECT_FALSE(polished.applied.empty());
}

TEST(Polish, IsNeverWorseSpendsItsBudgetAtMostAndRepeats) {
  std::mt19937_64 random(15);
  int better = 0;
  for (int round = 0; round < rounds(40, 1'000); ++round) {
    const Program program = valid_program(random);
    const Members members = *program.members();
    int64_t calls = 0;
    const Score score = [&](const Program& p, const Members& m) {
      ++calls;
      EXPECT_TRUE(check(p, {.members = m}).ok());
      return slow_link(p, m);
    };
    const PolishOptions options{.evaluations = 20, .seed = static_cast<uint64_t>(round)};
    const Polished one = polish(program, members, score, options);
    EXPECT_EQ(calls, one.evaluations);
    EXPECT_LE(calls, 20);
    EXPECT_LE(one.seconds, slow_link(program, members));
    EXPECT_EQ(one.seconds, slow_link(one.program, members));
    better += one.seconds < slow_link(program, members) ? 1 : 0;
    const Polished two = polish(program, members, score, options);
    EXPECT_EQ(print(one.program), print(two.program));
    EXPECT_EQ(one.applied, two.applied);
  }
  EXPECT_GT(better, rounds(40, 1'000) / 4);
}

TEST(Polish, StopsWhereThereIsNothingToGain) {
  const Program program = parse("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1").program;
  int calls = 0;
  const Score score = [&](const Program&, const Members&) { return ++calls, 1.0; };
  polish(program, {}, score, {.good_enough = 1});
  EXPECT_EQ(calls, 1);
  polish(program, {}, score, {.good_enough = 2, .seconds = 2});
  EXPECT_EQ(calls, 1);
  polish(program, {}, score, {.evaluations = 0});
  EXPECT_EQ(calls, 2);
}

TEST(Polish, ScoresThatAreNoNumberDoNotCount) {
  const Program program = parse("GPUS: 0, 1, 2\nIN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1").program;
  int calls = 0;
  const Score score = [&](const Program&, const Members&) {
    return calls++ == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  };
  const Polished polished = polish(program, {}, score, {.evaluations = 10});
  EXPECT_EQ(print(polished.program), print(program));
}

TEST(Polish, AnInvalidProgramIsAnError) {
  const Program program = parse("IN: A @ 0\nOUT: A @ 1\n").program;
  EXPECT_THROW(polish(program, {}, slow_link), ExchangeError);
}

}  // namespace
}  // namespace einsummable::synthesis
