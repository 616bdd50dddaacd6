// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace einsummable {

// The text of a file, by its path from the root of the checkout.
std::string read_page(std::string_view path);

// Whether the file holds `text`. With EINSUMMABLE_UPDATE_DOCS set (scripts/docs) it is written
// first.
testing::AssertionResult page_is(std::string_view path, const std::string& text);

// A fenced block of a page that is marked by a comment on the line before its fence.
//   <!-- computed: plan -->
//   ```
//   total 48 elements
//   ```
struct MarkedBlock {
  std::string mark;  // "computed: plan"
  std::string text;  // with its last newline, without the fences
};
std::vector<MarkedBlock> marked_blocks(const std::string& page);

// The page with other texts in its marked blocks, by mark; other blocks stay.
std::string with_blocks(const std::string& page, const std::map<std::string, std::string>& texts);

}  // namespace einsummable
