// SPDX-License-Identifier: Apache-2.0
// The programs in docs/exprog.md are what it says they are.
#include <gtest/gtest.h>

#include <fstream>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"

namespace einsummable::exchange {
namespace {

// The indented blocks of the page, without their indentation.
std::vector<std::string> blocks() {
  std::ifstream page(EINSUMMABLE_DOCS "/exprog.md");
  std::vector<std::string> found;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    const bool indented = line.starts_with("    ");
    if (indented && !inside) found.emplace_back();
    if (indented) found.back() += line.substr(4) + '\n';
    inside = indented;
  }
  return found;
}

TEST(ExchangeDocs, ProgramsAreValidAndDeriveWhatThePageShows) {
  const auto page = blocks();
  ASSERT_EQ(page.size(), 5u);  // the last is Python
  const ParseVerdict example = parse(page[0]);
  ASSERT_TRUE(example.ok) << example.reason;
  const Verdict verdict = check(example.program);
  ASSERT_TRUE(verdict.ok()) << verdict.reason;
  EXPECT_EQ(derivations_text(example.program, verdict), page[1]);
  const ParseVerdict language = parse(page[2]);
  ASSERT_TRUE(language.ok) << language.line << ": " << language.reason;
  EXPECT_TRUE(check(language.program).ok()) << check(language.program).reason;
  EXPECT_EQ(parse("IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\n" + page[3]).program.body().size(), 3u);
}

}  // namespace
}  // namespace einsummable::exchange
