// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace einsummable::synthesis {

// What of a program stands in a piece of text; each part with its last newline, or empty.
struct ReplySections {
  std::string partitions;
  std::string split;
  std::string body;
  bool any_action = false;  // a line of the body may be one
};

// The programs that may stand in a reply: one a fenced block that holds an action; if there is
// none, the lines of the whole text that have the form of a section or an action, less list marks
// and backticks. GPUS, IN and OUT are left out. Linear in the text.
std::vector<ReplySections> program_blocks(std::string_view text);

// The lines of a text without their newlines ("\n" or "\r\n").
std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> lines_of(std::string&& text) = delete;  // they would be of nothing

}  // namespace einsummable::synthesis
