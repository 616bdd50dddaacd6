// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/checker.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/parser.h"
#include "tests/exchange/program_files.h"

namespace einsummable::exchange {
namespace {

std::string members_text(const Program& program, const Members& members) {
  std::string text;
  for (size_t i = 0; i < members.size(); ++i) {
    text += " " + program.partitions()[i].name + "=";
    for (size_t k = 0; k < members[i].size(); ++k) {
      text += (k > 0 ? "," : "") + std::to_string(members[i][k].value);
    }
  }
  return text;
}

// Each program says in its comments what to expect: `expect: valid`, with the members found, or
// `expect: invalid` and the reason.
TEST(ExchangeChecker, ProgramFilesHaveTheVerdictTheyState) {
  for (const auto& [name, text] : program_files()) {
    const ParseVerdict read = parse(text);
    ASSERT_TRUE(read.ok) << name << ": " << read.reason;
    const Verdict verdict = check(read.program);
    const size_t at = text.find("expect: ");
    ASSERT_NE(at, std::string::npos) << name;
    const std::string expected = text.substr(at + 8, text.find('\n', at) - at - 8);
    std::string got = verdict.ok() ? "valid" : "invalid: " + verdict.reason;
    if (verdict.ok() && !read.program.members()) got += members_text(read.program, verdict.members);
    EXPECT_EQ(got, expected) << name;
  }
}

Verdict check_text(const std::string& text) {
  const ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << "line " << read.line << ": " << read.reason;
  return check(read.program);
}

TEST(ExchangeChecker, PartsMustPartitionNotCover) {
  const std::string in = "IN: A+B @ 0; B+C @ 0; A @ 1; B @ 1; C @ 1\nOUT: A+B+C @ 0\n";
  EXPECT_EQ(check_text(in + "A+B+C @ 0").reason,
            "A+B+C @ 0 can never fire: what is at 0 (A+B, B+C) does not partition it");
  EXPECT_TRUE(check_text(in + "C @ 1 -> 0; A+B+C @ 0").ok());
}

TEST(ExchangeChecker, NamesTheFirstActionThatCanNeverFireAndWhatIsMissing) {
  const std::string in = "IN: A @ 0; B @ 1; C @ 1\nOUT: A+B @ 0\n";
  EXPECT_EQ(check_text(in + "A+B @ 0").reason, "A+B @ 0 can never fire: B is missing at 0");
  EXPECT_EQ(check_text(in + "A+B+C @ 0").reason, "A+B+C @ 0 can never fire: B, C are missing at 0");
  EXPECT_EQ(check_text(in + "B @ 1 -> 0; A+B @ 0; C @ 0 -> 1; A @ 1").reason,
            "C @ 0 can never fire: C is missing at 0");
}

TEST(ExchangeChecker, NamesTheFirstRequirementThatIsNotMet) {
  const std::string in = "IN: A @ 0; B @ 1\nOUT: A @ 0; A+B @ 0, 1\n";
  EXPECT_EQ(check_text(in).reason, "OUT is not met: A+B is never at 0");
  EXPECT_EQ(check_text(in + "B @ 1 -> 0; A+B @ 0").reason, "OUT is not met: A+B is never at 1");
}

TEST(ExchangeChecker, AllPairsOfManyAtomsEndInAVerdict) {
  const auto pairs = [](int atoms) {
    std::string in = "IN: ", whole;
    for (int a = 0; a < atoms; ++a) {
      whole += (a > 0 ? "+a" : "a") + std::to_string(a);
      for (int b = 0; b < a; ++b)
        in += "a" + std::to_string(a) + "+a" + std::to_string(b) + " @ 0; ";
    }
    return in + "\nOUT: " + whole + " @ 0\n" + whole + " @ 0";
  };
  EXPECT_EQ(check_text(pairs(17)).outcome, Verdict::Outcome::invalid);
  EXPECT_EQ(check_text(pairs(18)).outcome, Verdict::Outcome::valid);
  const Verdict verdict = check_text(pairs(45));
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::too_hard);
  EXPECT_EQ(verdict.reason,
            "too hard: the ways to put its aggregates together are too many to search");
}

// Texts whose closure would be far larger than they are end in a verdict as well.
TEST(ExchangeChecker, HugeClosuresEndInAVerdict) {
  std::string text = "PARTITIONS: G {0";
  for (int s = 1; s < 4096; ++s) text += ", " + std::to_string(s);
  text += "}\nIN: a0 @ 0";
  for (int a = 1; a < 60'000; ++a) text += "; a" + std::to_string(a) + " @ 0";
  text += "\nOUT: a0 @ 1\n";
  for (int a = 0; a < 60'000; ++a) text += "a" + std::to_string(a) + " @ 0 -> G\n";
  EXPECT_EQ(check_text(text).outcome, Verdict::Outcome::too_hard);
}

}  // namespace
}  // namespace einsummable::exchange
