// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/checker.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/parser.h"
#include "tests/exchange/program_files.h"

namespace einsummable::exchange {
namespace {

Verdict check_text(std::string_view text, const CheckOptions& options = {}) {
  const ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << "line " << read.line << ": " << read.reason;
  return check(read.program, options);
}

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

}  // namespace
}  // namespace einsummable::exchange
