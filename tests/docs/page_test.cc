// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/page.h"

namespace einsummable {
namespace {

constexpr char kPage[] = R"(Text.

<!-- computed: one -->
```
old
```
```
no mark
```
<!-- quote -->
```cpp
a
b
```
)";

TEST(Page, FindsMarkedBlocks) {
  const auto blocks = marked_blocks(kPage);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].mark, "computed: one");
  EXPECT_EQ(blocks[0].text, "old\n");
  EXPECT_EQ(blocks[1].mark, "quote");
  EXPECT_EQ(blocks[1].text, "a\nb\n");
}

TEST(Page, ReplacesMarkedBlocksOnly) {
  const std::string page = with_blocks(kPage, {{"computed: one", "new\nlines\n"}});
  EXPECT_EQ(marked_blocks(page)[0].text, "new\nlines\n");
  EXPECT_EQ(with_blocks(page, {{"computed: one", "old\n"}}), kPage);
}

}  // namespace
}  // namespace einsummable
