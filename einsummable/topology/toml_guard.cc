// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/toml_guard.h"

#include <algorithm>

namespace einsummable {
namespace {

constexpr size_t kMostOddNames = 1'000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Reads the text once, as names, punctuation, strings and comments.
class Guard {
 public:
  Guard(std::string_view text, std::span<const std::string_view> tables)
      : text_(text), tables_(tables) {}

  std::optional<TomlRefusal> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // a byte order mark
    const auto foreign = std::ranges::find_if_not(text_, is_ascii);
    if (foreign != text_.end()) {
      const auto line = 1 + std::count(text_.begin(), foreign, '\n');
      return TomlRefusal{static_cast<int>(line), "a machine file is ASCII"};
    }
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'' || c == '#') {
        line_start_ = false;
        skip();
      } else {
        count(c);
        ++at_;
      }
    }
    if (odd_ > kMostOddNames) {
      return TomlRefusal{0, "too many names with dots, or of tables that do not exist"};
    }
    return std::nullopt;
  }

 private:
  void count(char c) {
    if (c == '[' && line_start_ && depth_ == 0 &&
        std::ranges::find(tables_, header_name()) == tables_.end()) {
      ++odd_;
    }
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') depth_ = std::max<int64_t>(0, depth_ - 1);
    if (c == '.') ++dots_;
    if (c == '=' || (c == ']' && depth_ == 0)) odd_ += dots_;
    if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') {
      dots_ = 0;
    }
    line_start_ = c == '\n' || (line_start_ && is_blank(c));
  }

  // The name in "[name]" or "[[name]]", and what may follow it.
  std::string_view header_name() const {
    std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
    line = trim(line.substr(0, line.find('#')));
    while (line.starts_with('[')) line.remove_prefix(1);
    while (line.ends_with(']')) line.remove_suffix(1);
    return trim(line);
  }

  // Passes the string or comment that starts here.
  void skip() {
    const char mark = text_[at_];
    if (mark == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    const bool lines = text_.substr(at_, 3) == (mark == '"' ? "\"\"\"" : "'''");
    const std::string_view end = text_.substr(at_, lines ? 3 : 1);
    for (at_ += end.size(); at_ < text_.size(); ++at_) {
      if (mark == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '\n' && !lines) {
        return;
      } else if (text_.substr(at_).starts_with(end)) {
        at_ += end.size();
        return;
      }
    }
  }

  std::string_view text_;
  std::span<const std::string_view> tables_;
  size_t at_ = 0, odd_ = 0, dots_ = 0;
  int64_t depth_ = 0;
  bool line_start_ = true;
};

}  // namespace

std::optional<TomlRefusal> refuse_toml(std::string_view text,
                                       std::span<const std::string_view> tables) {
  return Guard(text, tables).run();
}

}  // namespace einsummable
