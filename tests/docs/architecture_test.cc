// SPDX-License-Identifier: Apache-2.0
// The texts in ARCHITECTURE.md are what the code gives.
#include <filesystem>

#include "tests/docs/page.h"
#include "tests/docs/walk.h"

namespace einsummable {
namespace {

TEST(Architecture, ShowsWhatEveryStageGives) {
  const std::string page = read_page("ARCHITECTURE.md");
  const auto texts = walk();
  std::map<std::string, int> shown;
  for (const MarkedBlock& block : marked_blocks(page)) ++shown[block.mark];
  for (const auto& [mark, text] : texts) EXPECT_EQ(shown[mark], 1) << mark;
  EXPECT_EQ(shown.size(), texts.size());
  EXPECT_TRUE(page_is("ARCHITECTURE.md", with_blocks(page, texts)));
}

}  // namespace
}  // namespace einsummable
