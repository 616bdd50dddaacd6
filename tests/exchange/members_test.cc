// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/members.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

// All ways to put sites into groups of these sizes where they are eligible, in lexicographic order.
std::vector<std::vector<int32_t>> all_choices(const std::vector<std::vector<bool>>& eligible,
                                              const std::vector<int64_t>& sizes) {
  std::vector<int32_t> groups;
  for (size_t g = 0; g < sizes.size(); ++g)
    groups.insert(groups.end(), static_cast<size_t>(sizes[g]), static_cast<int32_t>(g));
  std::vector<std::vector<int32_t>> found;
  do {
    bool fits = true;
    for (size_t s = 0; s < groups.size(); ++s)
      fits = fits && eligible[s][static_cast<size_t>(groups[s])];
    if (fits) found.push_back(groups);
  } while (std::next_permutation(groups.begin(), groups.end()));
  return found;
}

TEST(ExchangeMembers, EnumeratesAllChoicesInOrder) {
  std::mt19937_64 random(11);
  for (int round = 0; round < rounds(1'000, 20'000); ++round) {
    std::vector<int64_t> sizes;
    size_t sites = 0;
    for (uint64_t g = 1 + random() % 4; g > 0; --g) {
      sizes.push_back(static_cast<int64_t>(1 + random() % 3));
      sites += static_cast<size_t>(sizes.back());
    }
    if (sites > 8) continue;
    std::vector<std::vector<bool>> eligible(sites, std::vector<bool>(sizes.size()));
    for (auto& row : eligible) {
      for (size_t g = 0; g < row.size(); ++g) row[g] = random() % 4 != 0;
    }
    Budget budget;
    MemberSearch search(eligible, sizes, budget);
    for (const auto& expected : all_choices(eligible, sizes)) ASSERT_EQ(search.next(), expected);
    ASSERT_EQ(search.next(), std::nullopt);
  }
}

TEST(ExchangeMembers, OpenPartitionsAreValidExactlyWhereSomeChoiceIs) {
  std::mt19937_64 random(12);
  int found = 0, none = 0;
  for (int round = 0; round < rounds(2'000, 100'000); ++round) {
    const RandomProgram shape{.atoms = 3,
                              .sites = 3 + round % 3,
                              .actions = 10,
                              .partitions = 1 + round % 3,
                              .open = true};
    const Program program = random_program(shape, random);
    std::vector<int64_t> sizes;
    for (const Partition& g : program.partitions()) sizes.push_back(g.size);
    const std::vector<std::vector<bool>> any(program.sites().size(),
                                             std::vector<bool>(sizes.size(), true));
    std::optional<Members> first;
    for (const auto& choice : all_choices(any, sizes)) {
      Members members(sizes.size());
      for (size_t s = 0; s < choice.size(); ++s) {
        members[static_cast<size_t>(choice[s])].emplace_back(static_cast<int64_t>(s));
      }
      const bool valid = brute_force_valid(program, members);
      ASSERT_EQ(check(program, {.members = members}).ok(), valid) << print(program);
      if (valid && !first) first = members;
    }
    const Verdict verdict = check(program);
    ASSERT_EQ(verdict.ok(), first.has_value()) << print(program) << verdict.reason;
    if (first) {
      ASSERT_EQ(verdict.members, *first) << print(program);
    }
    first ? ++found : ++none;
  }
  EXPECT_GT(found, rounds(2'000, 100'000) / 20);
  EXPECT_GT(none, rounds(2'000, 100'000) / 20);
}

std::string reason(const std::string& text, const CheckOptions& options = {}) {
  const ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << read.reason;
  return check(read.program, options).reason;
}

TEST(ExchangeMembers, SaysWhyNoChoiceWorks) {
  const std::string open = "GPUS: 0, 1\nPARTITIONS: G {size 1} H {size 1}\nIN: A @ 0; B @ 0\n";
  EXPECT_EQ(reason(open + "OUT: A @ G; B @ H"),
            "no choice of members works: the sites that can serve the partitions do not go round");
  EXPECT_EQ(reason(open + "OUT: A @ G, H; B @ H\nA @ 0 -> 1"), "");
  EXPECT_EQ(reason("GPUS: 0, 1\nPARTITIONS: G {size 2}\nIN: A @ 0\nOUT: A @ G"),
            "no choice of members works: partition G (size 2) must hold A, and 1 site can");
  EXPECT_EQ(reason(open + "OUT: A+B @ G, H\nA+B @ G; A @ 0 -> G"),
            "no choice of members works: the sites that can serve the partitions do not go round");
  EXPECT_EQ(reason("PARTITIONS: G {size 1} H {size 2}\nIN: A @ 0\nOUT: A @ 1, 2\nA @ 0 -> G"),
            "no choice of members works; with the first, OUT is not met: A is never at 1");
}

TEST(ExchangeMembers, SaysWhatIsWrongWithThoseGiven) {
  const std::string open =
      "GPUS: 0, 1, 2\nPARTITIONS: G {size 1} H {size 2}\nIN: A @ 0\nOUT: A @ G";
  const auto given = [](std::vector<int64_t> g, std::vector<int64_t> h) {
    Members members(2);
    for (int64_t s : g) members[0].emplace_back(s);
    for (int64_t s : h) members[1].emplace_back(s);
    return CheckOptions{.members = members};
  };
  EXPECT_EQ(reason(open, given({0}, {1, 2})), "");
  EXPECT_EQ(reason(open, given({0}, {})), "");
  EXPECT_EQ(reason(open, given({1}, {})), "OUT is not met: A is never at 1");
  EXPECT_EQ(reason(open, given({0, 1}, {2})),
            "the members given for partition G are 2 sites, but its size is 1");
  EXPECT_EQ(reason(open, given({0}, {0, 1})), "the members given put site 0 into two partitions");
  EXPECT_EQ(reason(open, given({3}, {0, 1})),
            "the members given for partition G name site 3, which is not declared");
  EXPECT_EQ(reason(open, {.members = Members(1)}), "members are given for 1 partitions of 2");
  const std::string fixed = "PARTITIONS: G {0} H {1}\nIN: A @ 0\nOUT: A @ G";
  EXPECT_EQ(reason(fixed, given({1}, {0})),
            "the members given for partition G are not those it declares");
}

// As a compiled preamble: one partition of one site each, the body for one placement.
TEST(ExchangeMembers, SeventyTwoSingletonsAreFoundAtOnce) {
  Program program;
  program.set_sites(72);
  for (int64_t c = 0; c < 72; ++c) {
    const std::string number = std::to_string(c);
    const AggregateId x = program.aggregate(program.add_atom({.name = "x" + number}));
    program.give(x, SiteId((c * 5 + 3) % 72));
    program.require(x, program.add_open_partition("S" + number, 1));
  }
  const Verdict verdict = check(program);
  ASSERT_TRUE(verdict.ok()) << verdict.reason;
  for (int64_t c = 0; c < 72; ++c) {
    EXPECT_EQ(verdict.members[static_cast<size_t>(c)],
              std::vector<SiteId>{SiteId((c * 5 + 3) % 72)});
  }
}

TEST(ExchangeMembers, TooManyChoicesToTryAreTooHard) {
  std::string text = "PARTITIONS: ";
  for (int s = 0; s < 20; ++s) text += "S" + std::to_string(s) + " {size 1} ";
  text += "\nIN: ";
  for (int s = 0; s < 20; ++s) text += "A" + std::to_string(s) + " @ " + std::to_string(s) + "; ";
  // The last site must be in the first group, which the search tries last.
  const Verdict verdict = check(parse(text + "\nOUT: A0 @ 19\nA0 @ 0 -> S0").program);
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::too_hard);
  EXPECT_EQ(verdict.reason,
            "too hard: none of the first 1000 choices of members works, and there are more");
}

}  // namespace
}  // namespace einsummable::exchange
