// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/rewrites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

ValidProgram valid(std::string_view text) {
  ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << "line " << read.line << ": " << read.reason;
  return ValidProgram(std::move(read.program));
}

// The body on one line: "A @ 0 -> 1; A+B @ 1".
std::string body_text(const Program& program) {
  const std::string printed = print(program);
  const size_t at = printed.find("BODY:\n");
  if (at == std::string::npos) return "";
  std::string text;
  for (char c : printed.substr(at + 6)) text += c == '\n' ? "; " : std::string(1, c);
  return text.substr(0, text.size() - 2);
}

// The body after the rewrite, or "refused: " and why.
std::string after(std::string_view name, const ValidProgram& from, const Spot& spot) {
  const Rewritten to = rewrite_named(name).apply(from, spot);
  return to.ok() ? body_text(to.program->program()) : "refused: " + to.reason;
}

AtomSet atoms(std::initializer_list<int64_t> ids) {
  AtomSet set;
  for (int64_t id : ids) set.emplace_back(id);
  return set;
}

SiteId site(int64_t number) { return SiteId(number); }

TEST(Rewrites, EachIsInTheListOnceUnderItsName) {
  std::set<std::string_view> names;
  for (const Rewrite& rewrite : rewrites()) {
    EXPECT_TRUE(names.insert(rewrite.name).second) << rewrite.name;
    EXPECT_EQ(&rewrite_named(rewrite.name), &rewrite);
  }
  EXPECT_EQ(names.size(), 9u);
  EXPECT_THROW(rewrite_named("loop unrolling"), InternalError);
}

TEST(Rewrites, MulticastsAreDividedAndJoined) {
  const auto from = valid("GPUS: 0, 1, 2, 3\nIN: A @ 0\nOUT: A @ 1, 2, 3\nA @ 0 -> 1, 2, 3");
  EXPECT_EQ(after("multicast fission", from, {.action = 0, .destination = site(2)}),
            "A @ 0 -> 2; A @ 0 -> 1, 3");
  const auto two = valid("IN: A @ 0\nOUT: A @ 1, 2, 3\nA @ 0 -> 2; A @ 0 -> 1, 3");
  EXPECT_EQ(after("multicast fusion", two, {.action = 0, .other = 1}), "A @ 0 -> 1, 2, 3");
  EXPECT_EQ(after("multicast fusion", two, {.action = 1, .other = 0}), "A @ 0 -> 1, 2, 3");
}

TEST(Rewrites, AMulticastToAPartitionIsDividedMemberByMember) {
  const auto from =
      valid("PARTITIONS: G {0, 1, 2} H {3}\nIN: A @ 0\nOUT: A @ G; A @ H\nA @ 0 -> G, H");
  EXPECT_EQ(after("multicast fission", from, {.action = 0, .destination = site(1)}),
            "A @ 0 -> 1; A @ 0 -> H, 2");
  EXPECT_EQ(after("multicast fission", from, {.action = 0, .destination = site(3)}),
            "A @ 0 -> 3; A @ 0 -> G");
}

TEST(Rewrites, MulticastPatternsThatDoNotFit) {
  const auto from = valid("IN: A @ 0; B @ 0\nOUT: A @ 1, 2; B @ 1\nA @ 0 -> 1, 2; B @ 0 -> 1");
  EXPECT_EQ(after("multicast fission", from, {.action = 0, .destination = site(0)}),
            "refused: A @ 0 at place 0 does not send to site 0");
  EXPECT_EQ(after("multicast fission", from, {.action = 1, .destination = site(1)}),
            "refused: an action with one destination is not divided");
  EXPECT_EQ(after("multicast fission", from, {.action = 7, .destination = site(1)}),
            "refused: the body has 2 actions, and none at place 7");
  EXPECT_EQ(after("multicast fission", from, {}),
            "refused: the body has 2 actions, and none at place none");
  EXPECT_EQ(after("multicast fusion", from, {.action = 0, .other = 1}),
            "refused: the actions differ in aggregate or source");
  EXPECT_EQ(after("multicast fusion", from, {.action = 0, .other = 0}),
            "refused: an action is not joined with itself");
}

TEST(Rewrites, RelaysAreIntroducedAndEliminated) {
  const auto from = valid("GPUS: 0, 1, 2, 3\nIN: A @ 0\nOUT: A @ 1, 2\nA @ 0 -> 1, 2");
  EXPECT_EQ(
      after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(3)}),
      "A @ 0 -> 2; A @ 0 -> 3; A @ 3 -> 1");
  EXPECT_EQ(
      after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(2)}),
      "A @ 0 -> 2; A @ 2 -> 1");
  for (int64_t end : {0, 1}) {
    EXPECT_EQ(
        after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(end)}),
        "refused: a relay is neither source nor destination of the transfer");
  }
  EXPECT_EQ(
      after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(9)}),
      "refused: there is no site 9");
  const auto relay = valid("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 3 -> 1");
  EXPECT_EQ(after("relay elimination", relay, {.action = 0, .other = 1, .destination = site(1)}),
            "A @ 0 -> 1");
}

TEST(Rewrites, ARelayStaysWhereItsAggregateIsRequiredOtherwise) {
  const Spot spot{.action = 0, .other = 1, .destination = site(1)};
  EXPECT_EQ(after("relay elimination", valid("IN: A @ 0\nOUT: A @ 1, 3\nA @ 0 -> 3 -> 1"), spot),
            "refused: A at 3 is otherwise required: OUT is not met: A is never at 3");
  EXPECT_EQ(after("relay elimination",
                  valid("IN: A @ 0; B @ 3\nOUT: A @ 1; A+B @ 3\nA @ 0 -> 3 -> 1; A+B @ 3"), spot),
            "refused: A at 3 is otherwise required: A+B @ 3 can never fire: A is missing at 3");
  EXPECT_EQ(
      after("relay elimination", valid("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 3; A @ 3 -> 1, 2"), spot),
      "refused: A at 3 is otherwise required: A @ 3 can never fire: A is missing at 3");
  // From elsewhere it comes to the relay all the same.
  EXPECT_EQ(after("relay elimination", valid("IN: A @ 0, 3\nOUT: A @ 1, 3\nA @ 0 -> 3 -> 1"), spot),
            "A @ 0 -> 1");
}

TEST(Rewrites, RelayPatternsThatDoNotFit) {
  const auto from =
      valid("IN: A @ 0; B @ 0\nOUT: A @ 1, 0; B @ 2\nA @ 0 -> 1 -> 0; B @ 0 -> 1 -> 2");
  EXPECT_EQ(after("relay elimination", from, {.action = 0, .other = 1, .destination = site(0)}),
            "refused: the transfer would end where it begins");
  EXPECT_EQ(after("relay elimination", from, {.action = 0, .other = 3, .destination = site(2)}),
            "refused: the relay passes on another aggregate than it gets");
  EXPECT_EQ(after("relay elimination", from, {.action = 2, .other = 2, .destination = site(1)}),
            "refused: B @ 0 at place 2 does not send to site 0");
}

TEST(Rewrites, AggregationIsPushedDownAndPulledUp) {
  const auto late =
      valid("IN: A @ 0; B @ 0; C @ 1\nOUT: A+B+C @ 1\nA @ 0 -> 1; B @ 0 -> 1; A+B+C @ 1");
  EXPECT_EQ(after("aggregation pushdown", late, {.action = 1, .other = 0, .destination = site(1)}),
            "A+B @ 0 -> 1; A+B+C @ 1");
  const auto early = valid("IN: A @ 0; B @ 0; C @ 1\nOUT: A+B+C @ 1\nA+B @ 0 -> 1; A+B+C @ 1");
  EXPECT_EQ(after("aggregation pullup", early,
                  {.action = 0, .destination = site(1), .parts = {atoms({0}), atoms({1})}}),
            "A @ 0 -> 1; B @ 0 -> 1; A+B+C @ 1");
}

TEST(Rewrites, PushdownDropsTheLocalAggregationAndPullupRestoresIt) {
  const auto late = valid("IN: A @ 0; B @ 0\nOUT: A+B @ 1\nA @ 0 -> 1; B @ 0 -> 1; A+B @ 1");
  const Rewritten early = rewrite_named("aggregation pushdown")
                              .apply(late, {.action = 0, .other = 1, .destination = site(1)});
  ASSERT_TRUE(early.ok()) << early.reason;
  EXPECT_EQ(body_text(early.program->program()), "A+B @ 0 -> 1");
  EXPECT_EQ(after("aggregation pullup", *early.program,
                  {.action = 0, .destination = site(1), .parts = {atoms({0}), atoms({1})}}),
            "A @ 0 -> 1; B @ 0 -> 1; A+B @ 1");
}

TEST(Rewrites, OtherDestinationsOfWhatIsPushedDownStay) {
  const auto from = valid(
      "IN: A @ 0; B @ 0; C @ 1\nOUT: A+B+C @ 1; A @ 2; B @ 2\nA @ 0 -> 1, 2; B @ 0 -> 1, 2; A+B+C "
      "@ 1");
  EXPECT_EQ(after("aggregation pushdown", from, {.action = 0, .other = 1, .destination = site(1)}),
            "A @ 0 -> 2; A+B @ 0 -> 1; B @ 0 -> 2; A+B+C @ 1");
}

TEST(Rewrites, PushdownIsRefusedWhereAPartIsRequiredApart) {
  const Spot spot{.action = 0, .other = 1, .destination = site(1)};
  const std::string transfers = "A @ 0 -> 1; B @ 0 -> 1; A+B @ 1";
  EXPECT_EQ(after("aggregation pushdown",
                  valid("IN: A @ 0; B @ 0\nOUT: A+B @ 1; B @ 1\n" + transfers), spot),
            "refused: A or B is required apart: OUT is not met: B is never at 1");
  EXPECT_EQ(
      after("aggregation pushdown",
            valid("IN: A @ 0; B @ 0; C @ 1\nOUT: A+B @ 1; A+C @ 1\n" + transfers + "; A+C @ 1"),
            spot),
      "refused: A or B is required apart: A+C @ 1 can never fire: A is missing at 1");
}

TEST(Rewrites, PushdownPatternsThatDoNotFit) {
  const auto from = valid(
      "IN: A @ 0; B @ 0; A+C @ 0; D @ 0 (size: 1 kB); B @ 2\nOUT: A+C @ 1\n"
      "A @ 0 -> 1; A+C @ 0 -> 1; D @ 0 -> 1; B @ 2 -> 1");
  const auto pair = [&](size_t one, size_t two) {
    return after("aggregation pushdown", from,
                 {.action = one, .other = two, .destination = site(1)});
  };
  EXPECT_EQ(pair(0, 1), "refused: the aggregates have an atom in common");
  EXPECT_EQ(pair(0, 0), "refused: the aggregates have an atom in common");
  EXPECT_EQ(pair(0, 2),
            "refused: A or D is required apart: A and D have different sizes (1 GB, 1 kB); the "
            "atoms of an aggregate have one size");
  EXPECT_EQ(pair(0, 3), "refused: the transfers have different sources");
  EXPECT_EQ(pair(0, 4), "refused: the body has 4 actions, and none at place 4");
}

TEST(Rewrites, PullupIsRefusedWhereTheSumIsRequiredAtTheSource) {
  const Spot spot{.action = 0, .destination = site(1), .parts = {atoms({0}), atoms({1})}};
  EXPECT_EQ(
      after("aggregation pullup", valid("IN: A @ 0; B @ 0\nOUT: A+B @ 0, 1\nA+B @ 0 -> 1"), spot),
      "refused: A+B or a part of it is not at 0 without the transfer: OUT is not met: A+B is "
      "never at 0");
  // A part that is not at the source cannot be sent from it.
  EXPECT_EQ(after("aggregation pullup", valid("IN: A+B @ 0\nOUT: A+B @ 1\nA+B @ 0 -> 1"), spot),
            "refused: A+B or a part of it is not at 0 without the transfer: A @ 0 can never fire: "
            "A is missing at 0");
}

TEST(Rewrites, PullupPartsMustPartitionTheSum) {
  const auto from = valid("IN: A @ 0; B @ 0; C @ 0\nOUT: A+B+C @ 1\nA+B+C @ 0 -> 1");
  using Parts = std::vector<AtomSet>;
  for (const Parts& parts :
       {Parts{}, Parts{atoms({0, 1, 2})}, Parts{atoms({0}), atoms({1})},
        Parts{atoms({0, 1}), atoms({1, 2})}, Parts{atoms({0, 1, 2}), atoms({})},
        Parts{atoms({0, 1}), atoms({2}), atoms({7})}}) {
    EXPECT_EQ(
        after("aggregation pullup", from, {.action = 0, .destination = site(1), .parts = parts}),
        "refused: the parts do not partition A+B+C");
  }
  EXPECT_EQ(after("aggregation pullup", from,
                  {.action = 0, .destination = site(1), .parts = {atoms({2}), atoms({1, 0})}}),
            "C @ 0 -> 1; A+B @ 0 -> 1; A+B+C @ 1");
}

TEST(Rewrites, ATransferMayDrawFromAnotherHolder) {
  const auto from = valid("IN: A @ 0, 2\nOUT: A @ 1, 3\nA @ 0 -> 1, 3");
  EXPECT_EQ(
      after("source substitution", from, {.action = 0, .destination = site(3), .site = site(2)}),
      "A @ 0 -> 1; A @ 2 -> 3");
  EXPECT_EQ(
      after("source substitution", from, {.action = 0, .destination = site(3), .site = site(1)}),
      "A @ 0 -> 1; A @ 1 -> 3");
}

TEST(Rewrites, SubstitutionIsRefusedWhereTheTransferMadeWhatItNeeds) {
  // The aggregate at the new source came of the transfer itself.
  EXPECT_EQ(after("source substitution", valid("IN: A @ 0\nOUT: A @ 1, 2\nA @ 0 -> 1 -> 2"),
                  {.action = 0, .destination = site(1), .site = site(2)}),
            "refused: A at 0 or at 2 comes of this transfer: A @ 2 can never fire: A is missing at "
            "2");
  // The transfer aggregated it at the old source.
  EXPECT_EQ(after("source substitution",
                  valid("IN: A @ 0; B @ 0; A+B @ 2\nOUT: A+B @ 0, 1\nA+B @ 0 -> 1"),
                  {.action = 0, .destination = site(1), .site = site(2)}),
            "refused: A+B at 0 or at 2 comes of this transfer: OUT is not met: A+B is never at 0");
}

TEST(Rewrites, SubstitutionPatternsThatDoNotFit) {
  const auto from = valid("IN: A @ 0; B @ 2\nOUT: A @ 1\nA @ 0 -> 1");
  const auto source = [&](int64_t s) {
    return after("source substitution", from,
                 {.action = 0, .destination = site(1), .site = site(s)});
  };
  EXPECT_EQ(source(2), "refused: A at 2 never comes to be");
  EXPECT_EQ(source(5), "refused: there is no site 5");
  EXPECT_EQ(source(0), "refused: the new source is neither the old one nor the destination");
  EXPECT_EQ(source(1), "refused: the new source is neither the old one nor the destination");
}

TEST(Rewrites, ActionsAreDeletedOnlyWhereNothingNeedsThem) {
  const auto from = valid("IN: A @ 0\nOUT: A @ 2\nA @ 0 -> 1, 2; A @ 0 -> 3; A @ 1");
  EXPECT_EQ(after("deletion", from, {.action = 1}), "A @ 0 -> 1, 2; A @ 1");
  EXPECT_EQ(after("deletion", from, {.action = 2}), "A @ 0 -> 1, 2; A @ 0 -> 3");
  EXPECT_EQ(after("deletion", from, {.action = 0, .destination = site(2)}),
            "refused: what the action brings is required: OUT is not met: A is never at 2");
  EXPECT_EQ(after("deletion", from, {.action = 0, .destination = site(1)}),
            "refused: what the action brings is required: A @ 1 can never fire: A is missing at 1");
  EXPECT_EQ(after("deletion", from, {.action = 3}),
            "refused: the body has 3 actions, and none at place 3");
}

TEST(Rewrites, ActionsAreInsertedOnlyWhereTheyCanFire) {
  const auto from = valid("GPUS: 0, 1, 2\nIN: A @ 0; B @ 0; C @ 2\nOUT: A @ 1\nA @ 0 -> 1");
  const auto put = [&](std::vector<AtomSet> parts, SiteId s, SiteId d = {}) {
    return after("insertion", from,
                 {.action = 0, .destination = d, .site = s, .parts = std::move(parts)});
  };
  EXPECT_EQ(put({atoms({1, 0})}, site(0), site(2)), "A+B @ 0 -> 2; A @ 0 -> 1");
  EXPECT_EQ(put({atoms({0})}, site(1)), "A @ 1; A @ 0 -> 1");
  EXPECT_EQ(put({atoms({0})}, site(2)),
            "refused: the action cannot fire: A @ 2 can never fire: A is missing at 2");
  EXPECT_EQ(put({}, site(0)), "refused: an action has one aggregate");
  EXPECT_EQ(put({atoms({0, 0})}, site(0)), "refused: an atom is twice in the aggregate");
  EXPECT_EQ(put({atoms({5})}, site(0)), "refused: there is no such atom");
  EXPECT_EQ(put({atoms({0})}, site(4)), "refused: there is no site 4");
  EXPECT_EQ(put({atoms({0})}, site(0), site(4)), "refused: there is no site 4");
}

TEST(Rewrites, ASplitAtomMovesPieceByPieceOrWhole) {
  const auto from = valid(
      "GPUS: 0, 1, 2\nIN: A @ 0; B @ 0; C @ 1\nOUT: A+B+C @ 1\nSPLIT: A, B, C into 2\n"
      "A @ 0 -> 1; B.0 @ 0 -> 1; B.1 @ 0 -> 1; A+B+C @ 1");
  EXPECT_EQ(
      after("relay introduction", from, {.action = 1, .destination = site(1), .site = site(2)}),
      "A @ 0 -> 1; B.0 @ 0 -> 2; B.0 @ 2 -> 1; B.1 @ 0 -> 1; A+B+C @ 1");
  EXPECT_EQ(
      after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(2)}),
      "A @ 0 -> 2; A @ 2 -> 1; B.0 @ 0 -> 1; B.1 @ 0 -> 1; A+B+C @ 1");
  EXPECT_EQ(after("aggregation pushdown", from, {.action = 1, .other = 2, .destination = site(1)}),
            "refused: B.0 or B.1 is required apart: B.0 and B.1 are pieces of different numbers; "
            "pieces meet at equal numbers");
}

TEST(Rewrites, ARepetitionIsDropped) {
  const auto from = valid("IN: A @ 0\nOUT: A @ 1, 2\nA @ 0 -> 1; A @ 0 -> 2; A @ 2 -> 1");
  EXPECT_EQ(
      after("relay introduction", from, {.action = 0, .destination = site(1), .site = site(2)}),
      "A @ 0 -> 2; A @ 2 -> 1");
}

// The spots of a small program, found by hand.
TEST(Rewrites, SpotsAreAllPlacesWhosePatternFits) {
  const auto from = valid(
      "GPUS: 0, 1, 2\nIN: A @ 0; B @ 0; A @ 2\nOUT: A+B @ 1, 2\n"
      "A @ 0 -> 1; B @ 0 -> 1; A+B @ 1; A+B @ 1 -> 2");
  std::string counts;
  for (const Rewrite& rewrite : rewrites())
    counts += std::to_string(rewrite.spots(from).size()) + " ";
  // Fusion: A+B @ 1 with A+B @ 1 -> 2. Relays: three transfers over one third site each. Pushdown:
  // A and B. Pullup: A+B. Substitution: A from 2. Deletion: four. Insertion: B to 2, A+B to 0, each
  // from two.
  EXPECT_EQ(counts, "0 1 3 0 1 1 1 4 4 ");
}

}  // namespace
}  // namespace einsummable::synthesis
