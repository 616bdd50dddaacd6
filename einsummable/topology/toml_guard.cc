// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/toml_guard.h"

#include <algorithm>

namespace einsummable {
namespace {

constexpr size_t kMostOddNames = 1'000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || (c >= '\n' && c <= '\r'); }
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
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (at_ < text_.size() && !foreign_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'' || c == '#') {
        line_start_ = false;
        skip();
      } else {
        count(c);
        foreign_ = !is_ascii(c);
        at_ += !foreign_;
      }
    }
    if (foreign_) return TomlRefusal{line(), "only texts and comments may hold other than ASCII"};
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
        escape();
        if (foreign_) return;
      } else if (text_[at_] == '\n' && !lines) {
        return;
      } else if (text_.substr(at_).starts_with(end)) {
        at_ += end.size();
        return;
      }
    }
  }

  // After a backslash toml++ looks for white space, and for the end of it.
  void escape() {
    size_t next = at_ + 1;
    while (next < text_.size() && is_space(text_[next])) ++next;
    foreign_ = next < text_.size() && !is_ascii(text_[next]);
    at_ = foreign_ || next == at_ + 1 ? next : next - 1;
  }

  int line() const { return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at_), '\n')); }

  std::string_view text_;
  std::span<const std::string_view> tables_;
  size_t at_ = 0, odd_ = 0, dots_ = 0;
  int64_t depth_ = 0;
  bool line_start_ = true, foreign_ = false;
};

}  // namespace

std::optional<TomlRefusal> refuse_toml(std::string_view text,
                                       std::span<const std::string_view> tables) {
  return Guard(text, tables).run();
}

}  // namespace einsummable
