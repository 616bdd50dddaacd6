// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/language.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace einsummable::exchange {
namespace {

TEST(ExchangeLanguage, IsWhatThePageSays) {
  std::ifstream file(std::string(EINSUMMABLE_DOCS) + "/exprog.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string_view language = language_page();
  EXPECT_NE(page.str().find(language), std::string::npos);
  EXPECT_TRUE(language.starts_with("## State and actions"));
  for (std::string_view part : {"SPLIT: A into 3", "A @ 0 -> 4 -> 5", "## Validity"})
    EXPECT_NE(language.find(part), std::string_view::npos) << part;
}

}  // namespace
}  // namespace einsummable::exchange
