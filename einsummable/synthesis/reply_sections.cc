// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/reply_sections.h"

#include <algorithm>
#include <utility>

namespace einsummable::synthesis {
namespace {

constexpr std::string_view blank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

// The line without its comment; a '#' in a quoted name begins none.
std::string_view uncommented(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == '#' && !quoted) {
      return trimmed(line.substr(0, i));
    }
  }
  return trimmed(line);
}

bool goes_on(std::string_view line) {
  const std::string_view text = uncommented(line);
  return text.ends_with(';') || text.ends_with(',');
}

enum class Section { none, other, partitions, split, body };

Section section_of(std::string_view line) {
  static constexpr std::pair<std::string_view, Section> sections[] = {
      {"GPUS:", Section::other}, {"SITES:", Section::other},           {"IN:", Section::other},
      {"OUT:", Section::other},  {"PARTITIONS:", Section::partitions}, {"SPLIT:", Section::split},
      {"BODY:", Section::body},  {"exprog ", Section::other}};
  for (const auto& [word, section] : sections) {
    if (line.starts_with(word)) return section;
  }
  return Section::none;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// Whether the line is made of names, numbers and the marks of actions alone, no two names beside
// each other, with at least one '@'.
bool has_action_form(std::string_view line) {
  const std::string_view text = uncommented(line);
  bool at = false, word = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (blank.find(text[i]) != std::string_view::npos) continue;
    const bool quoted = text[i] == '"';
    if (quoted || is_word(text[i])) {
      if (std::exchange(word, true)) return false;
      if (quoted) {
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      } else {
        while (i + 1 < text.size() && is_word(text[i + 1])) ++i;
      }
      continue;
    }
    word = false;
    if (text[i] == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      ++i;
    } else if (text[i] == '@') {
      at = true;
    } else if (text[i] != '+' && text[i] != ',' && text[i] != ';') {
      return false;
    }
  }
  return at;
}

// The line without what marks it in a text: "1. `A @ 0 -> 1`" is "A @ 0 -> 1".
std::string_view unmarked(std::string_view line) {
  std::string_view text = trimmed(line);
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')')) {
    text = trimmed(text.substr(digits + 1));
  } else if (text.starts_with("- ") || text.starts_with("* ")) {
    text = trimmed(text.substr(2));
  }
  while (text.starts_with('`')) text.remove_prefix(1);
  while (text.ends_with('`')) text.remove_suffix(1);
  return trimmed(text);
}

class SectionReader {
 public:
  void line(std::string_view line) {
    const std::string_view text = trimmed(line);
    const Section begins = section_of(text);
    if (begins == Section::body) {
      now_ = Section::none;
      const std::string_view rest = trimmed(text.substr(std::string_view("BODY:").size()));
      if (!rest.empty()) line_of_body(rest);
      return;
    }
    if (begins != Section::none) {
      now_ = begins;
    } else if (!goes_on_with(text)) {
      now_ = Section::none;
      line_of_body(text);
      return;
    }
    goes_on_ = goes_on(text);
    if (now_ == Section::partitions) put(out_.partitions, text);
    if (now_ == Section::split) put(out_.split, text);
  }

  // Whether this line goes on with a section that has begun.
  bool goes_on_with(std::string_view text) const {
    return now_ != Section::none && (goes_on_ || more_partitions(text));
  }
  ReplySections take() { return std::move(out_); }

 private:
  // Partitions may stand on lines of their own.
  bool more_partitions(std::string_view text) const {
    return now_ == Section::partitions && text.find('{') != std::string_view::npos &&
           text.find('@') == std::string_view::npos;
  }

  void line_of_body(std::string_view text) {
    out_.any_action = out_.any_action || text.find('@') != std::string_view::npos;
    put(out_.body, text);
  }

  static void put(std::string& part, std::string_view text) {
    part += text;
    part += '\n';
  }

  ReplySections out_;
  Section now_ = Section::none;
  bool goes_on_ = false;
};

// Three marks or more at the start of a line; '\0' if it is no fence.
char fence_of(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("```") ? '`' : text.starts_with("~~~") ? '~' : '\0';
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<ReplySections> program_blocks(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<ReplySections> blocks;
  for (size_t i = 0; i < lines.size(); ++i) {
    const char fence = fence_of(lines[i]);
    if (fence == '\0') continue;
    SectionReader reader;
    for (++i; i < lines.size() && fence_of(lines[i]) != fence; ++i) reader.line(lines[i]);
    ReplySections sections = reader.take();
    if (sections.any_action) blocks.push_back(std::move(sections));
  }
  if (!blocks.empty()) return blocks;
  SectionReader reader;
  bool any = false;
  for (std::string_view line : lines) {
    const std::string_view bare = unmarked(line);
    const bool begins = section_of(bare) != Section::none;
    if (!begins && !reader.goes_on_with(bare) && !has_action_form(bare)) continue;
    reader.line(bare);
    any = any || has_action_form(bare);
  }
  if (any) blocks.push_back(reader.take());
  return blocks;
}

}  // namespace einsummable::synthesis
