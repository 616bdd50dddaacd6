// SPDX-License-Identifier: Apache-2.0
// What the closure derives everything from.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

std::vector<std::string> derivation_texts(const Program& program, const Verdict& verdict) {
  std::istringstream lines(derivations_text(program, verdict));
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) texts.push_back(line);
  return texts;
}

TEST(ExchangeClosure, OrderOfActionsAndOfAtomsDoesNotMatter) {
  std::mt19937_64 random(7);
  for (int round = 0; round < rounds(300, 20'000); ++round) {
    const Program program = valid_program(random);
    const Verdict verdict = check(program);
    Program shuffled = program;
    std::vector<Action> body = program.body();
    std::shuffle(body.begin(), body.end(), random);
    shuffled.set_body(body);
    EXPECT_EQ(derivation_texts(shuffled, check(shuffled)), derivation_texts(program, verdict));
    std::vector<Given> given = program.given();
    std::shuffle(given.begin(), given.end(), random);
    shuffled.set_entries(given, program.required());
    const Program renumbered = parse(print(shuffled)).program;
    auto theirs = derivation_texts(renumbered, check(renumbered));
    auto ours = derivation_texts(program, verdict);
    std::ranges::sort(theirs);
    std::ranges::sort(ours);
    EXPECT_EQ(theirs, ours) << print(program);
  }
}

// All partitions of `whole` into members of `there`, each by least atom.
void all_partitions(const std::vector<Mask>& there, Mask whole, std::vector<Mask>& chosen,
                    std::vector<std::vector<Mask>>& found) {
  if (whole == 0) {
    found.push_back(chosen);
    return;
  }
  for (Mask part : there) {
    if ((part & (whole & (~whole + 1))) == 0 || (part & ~whole) != 0) continue;
    chosen.push_back(part);
    all_partitions(there, whole & ~part, chosen, found);
    chosen.pop_back();
  }
}

// "ABD" of a mask: in atom order, which is name order here.
std::string letters(Mask mask) {
  std::string text;
  for (int a = 0; a < 32; ++a) {
    if ((mask >> a & 1) != 0) text += static_cast<char>('A' + a);
  }
  return text;
}

TEST(ExchangeClosure, PartsAreTheFewestThereWhenFirstEnabledTiesByName) {
  std::mt19937_64 random(8);
  int seen = 0, choices = 0;
  for (int round = 0; round < rounds(600, 40'000); ++round) {
    const Program program = valid_program(random);
    const Verdict verdict = check(program);
    for (const Derivation& d : verdict.derivations) {
      if (d.kind != Derivation::Kind::aggregated) continue;
      const Members members = *program.members();
      std::set<int32_t> sources;
      for (const Action& a : program.body()) {
        if (a.aggregate != d.aggregate) continue;
        if (a.source.is_site())
          sources.insert(a.source.site.value);
        else
          for (SiteId s : members[a.source.partition.index()]) sources.insert(s.value);
      }
      if (sources.size() > 1) continue;  // then the parts must suit all sites
      std::vector<Mask> early, there;
      const Mask whole = mask_of(program, d.aggregate);
      for (const Derivation& y : verdict.derivations) {
        const Mask mask = mask_of(program, y.aggregate);
        if (y.site != d.site || mask == whole) continue;
        if (y.round < d.round) there.push_back(mask);
        if (y.round < d.round - 1) early.push_back(mask);
      }
      std::vector<Mask> chosen;
      std::vector<std::vector<Mask>> all, earlier;
      all_partitions(there, whole, chosen, all);
      all_partitions(early, whole, chosen, earlier);
      EXPECT_TRUE(earlier.empty()) << print(program);
      std::vector<std::string> best;
      for (const auto& parts : all) {
        std::vector<std::string> names;
        for (Mask part : parts) names.push_back(letters(part));
        if (best.empty() || std::pair(names.size(), names) < std::pair(best.size(), best))
          best = names;
      }
      std::vector<std::string> ours;
      for (AggregateId part : verdict.parts_of(d)) ours.push_back(letters(mask_of(program, part)));
      EXPECT_EQ(ours, best) << print(program);
      ++seen;
      choices += all.size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(seen, rounds(600, 40'000) / 6);
  EXPECT_GT(choices, rounds(600, 40'000) / 20);
}

Verdict check_text(const std::string& text) {
  const ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << read.reason;
  return check(read.program);
}

std::vector<std::string> derivations_of(const std::string& text) {
  const Program program = parse(text).program;
  return derivation_texts(program, check(program));
}

TEST(ExchangeClosure, RecursiveDoublingRoundByRound) {
  EXPECT_EQ(derivations_of("IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1"),
            (std::vector<std::string>{"0: A @ 0", "0: B @ 1", "1: A @ 1 <- 0", "1: B @ 0 <- 1",
                                      "2: A+B @ 0 = A B", "2: A+B @ 1 = A B"}));
}

TEST(ExchangeClosure, WhatIsThereIsNotDerivedAgain) {
  EXPECT_EQ(derivations_of("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1; A @ 1 -> 0; A @ 0; A @ 0 -> 0"),
            (std::vector<std::string>{"0: A @ 0", "1: A @ 1 <- 0"}));
}

TEST(ExchangeClosure, ReplicasComeFromOneTreeWhereTheProgramAllowsIt) {
  // Site 0 first has A+B and C, site 1 first A and B+C; later both have all single atoms.
  const std::string in = "IN: A+B @ 0; C @ 0, 2; A @ 1, 2; B+C @ 1; B @ 2\nOUT: A+B+C @ 0, 1\n";
  const std::string locals = "A+B+C @ 0, 1\n";
  const Verdict both = check_text(in + locals + "A @ 2 -> 0, 1; B @ 2 -> 0, 1; C @ 2 -> 0, 1");
  EXPECT_TRUE(both.ok());
  EXPECT_TRUE(both.uniform);
  // Where it does not, the program is valid, and the verdict says that replicas may differ.
  const Verdict apart = check_text(in + locals);
  EXPECT_TRUE(apart.ok()) << apart.reason;
  EXPECT_FALSE(apart.uniform);
  // A site that can receive the result does so, rather than derive it otherwise.
  const Verdict sent = check_text(in + locals + "A+B+C @ 0 -> 1");
  EXPECT_TRUE(sent.uniform);
}

}  // namespace
}  // namespace einsummable::exchange
