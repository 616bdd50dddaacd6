// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/toml_guard.h"

#include <algorithm>

namespace einsummable {
namespace {

// The end of the string or comment that starts at `at`.
size_t skip(std::string_view text, size_t at) {
  const char mark = text[at];
  if (mark == '#') return std::min(text.find('\n', at), text.size());
  const bool escapes = mark == '"';
  const bool lines = text.substr(at, 3) == (escapes ? "\"\"\"" : "'''");
  const std::string_view end = text.substr(at, lines ? 3 : 1);
  for (size_t i = at + end.size(); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n' && !lines) {
      return i;
    } else if (text.substr(i).starts_with(end)) {
      return i + end.size();
    }
  }
  return text.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The name in "[name]" or "[[name]]", and what may follow it.
std::string_view header_name(std::string_view text, size_t at) {
  std::string_view line = text.substr(at, text.find('\n', at) - at);
  line = trim(line.substr(0, line.find('#')));
  while (line.starts_with('[')) line.remove_prefix(1);
  while (line.ends_with(']')) line.remove_suffix(1);
  return trim(line);
}

}  // namespace

size_t count_odd_names(std::string_view toml, std::span<const std::string_view> tables) {
  size_t odd = 0, dots = 0;
  int64_t depth = 0;
  bool line_start = true;
  for (size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    if (c == '"' || c == '\'' || c == '#') {
      i = skip(toml, i) - 1;
      line_start = false;
      continue;
    }
    if (c == '[' && line_start && depth == 0 &&
        std::ranges::find(tables, header_name(toml, i)) == tables.end()) {
      ++odd;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') depth = std::max<int64_t>(0, depth - 1);
    if (c == '.') ++dots;
    if (c == '=' || (c == ']' && depth == 0)) odd += dots;
    if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') dots = 0;
    line_start = c == '\n' || (line_start && is_blank(c));
  }
  return odd;
}

}  // namespace einsummable
