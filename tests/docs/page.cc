// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/page.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace einsummable {
namespace {

constexpr std::string_view kMark = "<!-- ", kMarkEnd = " -->", kFence = "```";

std::string full_path(std::string_view path) {
  return std::string(EINSUMMABLE_ROOT) + "/" + std::string(path);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}

// The mark of the block whose fence is on line `at`; empty if there is none.
std::string mark_before(const std::vector<std::string>& lines, size_t at) {
  if (at == 0 || !lines[at].starts_with(kFence)) return "";
  std::string_view line = lines[at - 1];
  line.remove_suffix(1);
  if (!line.starts_with(kMark) || !line.ends_with(kMarkEnd)) return "";
  line.remove_prefix(kMark.size());
  line.remove_suffix(kMarkEnd.size());
  return std::string(line);
}

size_t closing_fence(const std::vector<std::string>& lines, size_t at) {
  while (at < lines.size() && !lines[at].starts_with(kFence)) ++at;
  return at;
}

}  // namespace

std::string read_page(std::string_view path) {
  std::ostringstream text;
  text << std::ifstream(full_path(path)).rdbuf();
  return text.str();
}

testing::AssertionResult page_is(std::string_view path, const std::string& text) {
  if (std::getenv("EINSUMMABLE_UPDATE_DOCS")) std::ofstream(full_path(path)) << text;
  const auto found = lines_of(read_page(path)), expected = lines_of(text);
  size_t line = 0;
  while (line < found.size() && line < expected.size() && found[line] == expected[line]) ++line;
  if (line == found.size() && line == expected.size()) return testing::AssertionSuccess();
  const auto shown = [line](const std::vector<std::string>& lines) {
    return line < lines.size() ? lines[line] : std::string("the end\n");
  };
  return testing::AssertionFailure()
         << path << ":" << line + 1 << " is\n  " << shown(found) << "where the code gives\n  "
         << shown(expected) << "scripts/docs writes it anew";
}

std::vector<MarkedBlock> marked_blocks(const std::string& page) {
  const auto lines = lines_of(page);
  std::vector<MarkedBlock> blocks;
  for (size_t at = 0; at < lines.size(); ++at) {
    std::string mark = mark_before(lines, at);
    if (mark.empty()) continue;
    const size_t end = closing_fence(lines, at + 1);
    blocks.push_back({std::move(mark), ""});
    for (size_t i = at + 1; i < end; ++i) blocks.back().text += lines[i];
    at = end;
  }
  return blocks;
}

std::string with_blocks(const std::string& page, const std::map<std::string, std::string>& texts) {
  const auto lines = lines_of(page);
  std::string out;
  for (size_t at = 0; at < lines.size(); ++at) {
    out += lines[at];
    const auto text = texts.find(mark_before(lines, at));
    if (text == texts.end()) continue;
    out += text->second;
    at = closing_fence(lines, at + 1);
    if (at < lines.size()) out += lines[at];
  }
  return out;
}

}  // namespace einsummable
