// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/naive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

Program preamble(std::string_view text) {
  ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << "line " << read.line << ": " << read.reason;
  return std::move(read.program);
}

// The body alone, as printed.
std::string naive_text(std::string_view text) {
  Program program = preamble(text);
  const Body body = naive(program);
  if (!body.ok) return body.reason;
  program.set_body(body.actions);
  EXPECT_TRUE(check(program).ok()) << check(program).reason << '\n' << print(program);
  const std::string printed = print(program);
  const size_t at = printed.find("BODY:\n");
  return at == std::string::npos ? "" : printed.substr(at + 6);
}

TEST(Naive, GathersOnceAndCopies) {
  EXPECT_EQ(naive_text("IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1"), R"(B @ 1 -> 0
A+B @ 0
A+B @ 0 -> 1
)");
}

TEST(Naive, FetchesEachPartFromItsFirstHolderInIn) {
  EXPECT_EQ(naive_text("IN: A @ 2, 0; B @ 1; C @ 3\nOUT: A+B+C @ 3; B @ 3, 0"), R"(A @ 2 -> 3
B @ 1 -> 3
A+B+C @ 3
B @ 1 -> 0
)");
}

TEST(Naive, ReusesWhatIsFormedAlreadyAndTakesTheFewestParts) {
  EXPECT_EQ(naive_text("IN: A @ 0; B @ 1; C @ 2; A+B @ 3\nOUT: A+B @ 2; A+B+C @ 4"), R"(A+B @ 3 -> 2
A+B @ 3 -> 4
C @ 2 -> 4
A+B+C @ 4
)");
  EXPECT_EQ(naive_text("IN: A @ 0; B @ 0; C @ 0; A+B @ 0; B+C @ 0\nOUT: A+B+C @ 0"), "A+B+C @ 0\n");
}

TEST(Naive, ServesPartitionsInOutOrderAndSitesAscending) {
  EXPECT_EQ(
      naive_text("PARTITIONS: G {2, 0} H {1}\nIN: A @ 0; B @ 1\nOUT: B @ H; A @ H; A+B @ G, 1"),
      R"(A @ 0 -> 1
B @ 1 -> 0
A+B @ 0
A+B @ 0 -> 1
A+B @ 0 -> 2
)");
}

TEST(Naive, NothingToDoIsAnEmptyBody) {
  EXPECT_EQ(naive_text("IN: A @ 0; A+B @ 1\nOUT: A @ 0; A+B @ 1"), "");
  EXPECT_EQ(naive_text("IN:\nOUT:"), "");
}

TEST(Naive, SaysWhatCannotBeMet) {
  EXPECT_EQ(naive_text("IN: A+B @ 0; B+C @ 0\nOUT: A+B+C @ 0"),
            "A+B+C cannot be put together from what IN holds");
  EXPECT_EQ(naive_text("IN: A+B @ 0\nOUT: A @ 0"), "A cannot be put together from what IN holds");
  EXPECT_EQ(naive_text("PARTITIONS: G {size 1}\nIN: A @ 0\nOUT: A @ G"),
            "a partition is given by size alone; a naive program needs its members");
}

TEST(Naive, SaysWhatIsTooHard) {
  std::string in = "IN: ", out = "OUT: ";
  for (int a = 0; a < 41; ++a) {
    out += (a > 0 ? "+" : "") + ("a" + std::to_string(a));
    for (int b = 0; b < a; ++b) in += "a" + std::to_string(a) + "+a" + std::to_string(b) + " @ 0; ";
  }
  EXPECT_NE(naive_text(in + "\n" + out + " @ 0").find("is too hard to put together"),
            std::string::npos);
}

// A random preamble; OUT may or may not be possible.
Program random_preamble(std::mt19937_64& random) {
  Program program;
  const auto sites = static_cast<int64_t>(1 + random() % 6);
  program.set_sites(sites);
  std::vector<AtomId> atoms;
  for (uint64_t a = 0; a < 1 + random() % 6; ++a)
    atoms.push_back(program.add_atom({.name = "a" + std::to_string(a)}));
  const auto any_site = [&] {
    return SiteId(static_cast<int64_t>(random() % static_cast<uint64_t>(sites)));
  };
  const auto any_aggregate = [&](uint64_t most) {
    std::vector<AtomId> some = atoms;
    std::shuffle(some.begin(), some.end(), random);
    some.resize(std::min<size_t>(some.size(), 1 + random() % most));
    return program.aggregate(some);
  };
  for (AtomId a : atoms) {
    if (random() % 8 != 0) program.give(program.aggregate(a), any_site());
  }
  for (uint64_t k = random() % 4; k > 0; --k) program.give(any_aggregate(3), any_site());
  for (uint64_t k = random() % 6; k > 0; --k) program.require(any_aggregate(6), any_site());
  return program;
}

// OUT can be met at all if it can when every aggregate of IN is everywhere.
bool possible(const Program& program) {
  Program gathered = program;
  for (const Given& g : program.given()) {
    Action everywhere{g.aggregate, g.site, {}};
    for (SiteId s : program.sites()) everywhere.destinations.emplace_back(s);
    gathered.add_action(everywhere);
  }
  Program tried = gathered;
  for (const Requirement& r : program.required()) tried.add_action({r.aggregate, r.place, {}});
  return check(tried).ok();
}

TEST(Naive, IsValidAndUniformExactlyWhereOutCanBeMet) {
  std::mt19937_64 random(3);
  int met = 0, unmet = 0;
  for (int round = 0; round < rounds(3'000, 200'000); ++round) {
    Program program = random_preamble(random);
    const Body body = naive(program);
    ASSERT_EQ(body.ok, possible(program)) << print(program) << body.reason;
    body.ok ? ++met : ++unmet;
    if (!body.ok) continue;
    program.set_body(body.actions);
    const Verdict verdict = check(program);
    ASSERT_TRUE(verdict.ok()) << print(program) << verdict.reason;
    ASSERT_TRUE(verdict.uniform) << print(program);
    // Nothing is done twice or in vain: each action makes one thing that was not there.
    const auto given =
        std::ranges::count(verdict.derivations, Derivation::Kind::given, &Derivation::kind);
    ASSERT_EQ(verdict.derivations.size(), static_cast<size_t>(given) + body.actions.size())
        << print(program);
  }
  EXPECT_GT(met, rounds(3'000, 200'000) / 4);
  EXPECT_GT(unmet, rounds(3'000, 200'000) / 20);
}

// A reduce-scatter of 72 sites: 20,000 atoms, as many actions again for each result.
TEST(Naive, ALargePreambleTakesMillisecondsToSolveAndToCheck) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  Program program;
  program.set_sites(72);
  for (int64_t cell = 0; cell < 280; ++cell) {
    std::vector<AtomId> copies;
    for (int64_t site = 0; site < 72; ++site) {
      copies.push_back(
          program.add_atom({.name = "c" + std::to_string(cell) + "." + std::to_string(site)}));
      program.give(program.aggregate(copies.back()), SiteId(site));
    }
    const AggregateId sum = program.aggregate(copies);
    for (int64_t k = 0; k < 72; ++k) program.require(sum, SiteId((cell + k) % 72));
  }
  const auto built = now();
  const Body body = naive(program);
  const auto solved = now();
  ASSERT_TRUE(body.ok);
  program.set_body(body.actions);
  const Verdict verdict = check(program);
  const auto checked = now();
  EXPECT_TRUE(verdict.ok()) << verdict.reason;
  const auto ms = [](auto a, auto b) {
    return std::chrono::duration<double, std::milli>(b - a).count();
  };
  RecordProperty("actions", static_cast<int>(body.actions.size()));
  RecordProperty("build_ms", std::to_string(ms(start, built)));
  RecordProperty("naive_ms", std::to_string(ms(built, solved)));
  RecordProperty("check_ms", std::to_string(ms(solved, checked)));
  EXPECT_LT(ms(start, checked), 2'000);
}

}  // namespace
}  // namespace einsummable::synthesis
