// SPDX-License-Identifier: Apache-2.0
// What CONTRIBUTING.md quotes from sources stands there.
#include "tests/docs/page.h"

namespace einsummable {
namespace {

TEST(Contributing, QuotesStandInTheirSources) {
  constexpr std::string_view prefix = "from ";
  size_t quotes = 0;
  for (const MarkedBlock& block : marked_blocks(read_page("CONTRIBUTING.md"))) {
    ASSERT_TRUE(block.mark.starts_with(prefix)) << block.mark;
    const std::string source = read_page(block.mark.substr(prefix.size()));
    EXPECT_NE(source.find(block.text), std::string::npos) << block.mark << " has no such lines:\n"
                                                          << block.text;
    ++quotes;
  }
  EXPECT_GE(quotes, 5u);
}

}  // namespace
}  // namespace einsummable
