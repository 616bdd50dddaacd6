// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "einsummable/base/syntax_error.h"

namespace einsummable {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes of the UTF-8 character at the front; 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Longer than needed, half a surrogate pair, or beyond U+10FFFF.
  const bool wrong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0) ||
                     (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) >= 0x90);
  return wrong ? 0 : length;
}

}  // namespace

std::string quote(std::string_view name) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  while (!name.empty()) {
    const char c = name[0];
    const bool malformed = utf8_length(name) == 0;
    const std::string_view character = name.substr(0, malformed ? 1 : utf8_length(name));
    name.remove_prefix(character.size());
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || malformed) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += character;
    }
  }
  return out + "\"";
}

std::string excerpt(std::string_view text) {
  constexpr size_t most = 80;
  return text.size() <= most ? quote(text) : quote(text.substr(0, most)) + "...";
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string out(buffer, end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string_view first_character(std::string_view text) {
  size_t length = std::min<size_t>(1, text.size());
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return text.substr(0, length);
}

bool is_utf8(std::string_view text) {
  while (const size_t length = utf8_length(text)) text.remove_prefix(length);
  return text.empty();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

Lexer::Lexer(std::string_view text) : text_(text) {
  advance();
  if (token_.kind == Kind::newline) advance();
}

void Lexer::fail(std::string_view what) const {
  throw SyntaxError(token_.line, token_.column, std::string(what));
}

void Lexer::advance() {
  bool newline = false;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      if (!newline) {
        token_ = {.kind = Kind::newline,
                  .text = "end of line",
                  .line = line_,
                  .column = static_cast<int>(position_ - line_start_) + 1};
      }
      newline = true;
      ++line_;
      line_start_ = ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      break;
    }
  }
  if (newline) return;
  token_ = {.kind = Kind::end,
            .text = "end of text",
            .line = line_,
            .column = static_cast<int>(position_ - line_start_) + 1};
  if (position_ >= text_.size()) return;
  const char c = text_[position_];
  const char following = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
  if (is_letter(c)) {
    const size_t start = position_;
    while (position_ < text_.size() &&
           (is_letter(text_[position_]) || is_digit(text_[position_]) || text_[position_] == '.')) {
      ++position_;
    }
    token_.kind = Kind::identifier;
    token_.text = text_.substr(start, position_ - start);
  } else if (is_digit(c) || (c == '-' && is_digit(following))) {
    scan_number();
  } else if (c == '"') {
    scan_string();
  } else {
    const bool arrow = c == '-' && following == '>';
    token_.kind = Kind::punctuation;
    const std::string_view rest = text_.substr(position_);
    token_.text = arrow ? rest.substr(0, 2) : first_character(rest);
    position_ += token_.text.size();
  }
}

void Lexer::scan_number() {
  const char* begin = text_.data() + position_;
  const char* end = text_.data() + text_.size();
  const char* p = begin + (*begin == '-' ? 1 : 0);
  while (p < end && is_digit(*p)) ++p;
  const bool fraction = p + 1 < end && *p == '.' && is_digit(p[1]);
  const bool exponent = p < end && (*p == 'e' || *p == 'E') &&
                        ((p + 1 < end && is_digit(p[1])) ||
                         (p + 2 < end && (p[1] == '-' || p[1] == '+') && is_digit(p[2])));
  if (!fraction && !exponent) {
    token_.kind = Kind::integer;
    if (std::from_chars(begin, p, token_.integer).ec != std::errc()) {
      fail("the integer " + std::string(begin, p) + " does not fit in 64 bits");
    }
    token_.real = static_cast<double>(token_.integer);
  } else {
    token_.kind = Kind::real;
    const auto [stop, error] = std::from_chars(begin, end, token_.real);
    if (error != std::errc()) fail("the number does not fit in a double");
    p = stop;
  }
  token_.text.assign(begin, p);
  position_ = static_cast<size_t>(p - text_.data());
}

void Lexer::scan_string() {
  token_.kind = Kind::string;
  token_.text.clear();
  for (++position_; position_ < text_.size() && text_[position_] != '\n'; ++position_) {
    const char c = text_[position_];
    if (c == '"') {
      ++position_;
      return;
    }
    if (c != '\\') {
      token_.text += c;
      continue;
    }
    const char escape = ++position_ < text_.size() ? text_[position_] : '\0';
    if (escape == '"' || escape == '\\') {
      token_.text += escape;
    } else if (escape == 'n') {
      token_.text += '\n';
    } else if (escape == 't') {
      token_.text += '\t';
    } else if (escape == 'x' && position_ + 2 < text_.size() &&
               hex_digit(text_[position_ + 1]) >= 0 && hex_digit(text_[position_ + 2]) >= 0) {
      token_.text +=
          static_cast<char>(hex_digit(text_[position_ + 1]) * 16 + hex_digit(text_[position_ + 2]));
      position_ += 2;
    } else {
      fail("an escape in a string is one of \\\" \\\\ \\n \\t \\xHH");
    }
  }
  fail("a string is not closed on its line");
}

Lexer::Token Lexer::next() {
  Token current = std::move(token_);
  advance();
  return current;
}

bool Lexer::at(std::string_view text) const {
  return (token_.kind == Kind::punctuation || token_.kind == Kind::identifier) &&
         token_.text == text;
}

bool Lexer::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "' before '" + token_.text + "'");
}

std::string Lexer::identifier(std::string_view what) {
  if (token_.kind != Kind::identifier) {
    fail("expected " + std::string(what) + " before '" + token_.text + "'");
  }
  return next().text;
}

int64_t Lexer::integer(std::string_view what) {
  if (token_.kind != Kind::integer) {
    fail("expected " + std::string(what) + " (an integer) before '" + token_.text + "'");
  }
  return next().integer;
}

double Lexer::real(std::string_view what) {
  if (accept("inf")) return std::numeric_limits<double>::infinity();
  if (accept("nan")) return std::numeric_limits<double>::quiet_NaN();
  if (accept("-")) {
    expect("inf");
    return -std::numeric_limits<double>::infinity();
  }
  if (token_.kind != Kind::integer && token_.kind != Kind::real) {
    fail("expected " + std::string(what) + " (a number) before '" + token_.text + "'");
  }
  return next().real;
}

std::string Lexer::string(std::string_view what) {
  if (token_.kind != Kind::string) {
    fail("expected " + std::string(what) + " in quotes before '" + token_.text + "'");
  }
  return next().text;
}

void Lexer::end_line() {
  if (token_.kind == Kind::newline) {
    advance();
  } else if (token_.kind != Kind::end) {
    fail("expected the end of the line before '" + token_.text + "'");
  }
}

}  // namespace einsummable
