// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/scanner.h"

namespace einsummable::exchange {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_inner(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

}  // namespace

void Scanner::fail(std::string reason) const { throw SyntaxFault{token_.line, std::move(reason)}; }

void Scanner::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else {
      return;
    }
  }
}

void Scanner::advance() {
  skip_blanks();
  token_ = {.line = line_};
  if (position_ == text_.size()) return;
  const char c = text_[position_];
  if (c == '\n') {
    token_.kind = Kind::newline;
    ++position_;
    ++line_;
  } else if (is_letter(c)) {
    scan_word(Kind::name);
    const size_t after = position_;
    skip_blanks();
    token_.section = position_ < text_.size() && text_[position_] == ':';
    position_ = after;
  } else if (is_digit(c)) {
    scan_number();
  } else if (c == '"') {
    scan_quoted();
  } else {
    const size_t length = text_.substr(position_, 2) == "->" ? 2 : 1;
    token_.kind = Kind::punctuation;
    token_.text = text_.substr(position_, length);
    if (length == 1 && std::string_view("@+;,:(){}").find(c) == std::string_view::npos) {
      fail("a program has no " + shown() + " here");
    }
    position_ += length;
  }
}

void Scanner::scan_word(Kind kind) {
  const size_t begin = position_;
  while (position_ < text_.size() && is_inner(text_[position_])) ++position_;
  token_.kind = kind;
  token_.text = text_.substr(begin, position_ - begin);
}

void Scanner::scan_number() {
  const size_t begin = position_;
  const auto digits = [&] {
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
  };
  digits();
  if (position_ + 1 < text_.size() && text_[position_] == '.' && is_digit(text_[position_ + 1])) {
    ++position_;
    digits();
  }
  token_.kind = Kind::number;
  token_.text = text_.substr(begin, position_ - begin);
}

char Scanner::hex_escape() {
  int value = 0;
  for (int k = 0; k < 2; ++k) {
    const char c = position_ < text_.size() ? text_[position_] : '\0';
    const size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos) fail("\\x takes two hexadecimal digits");
    value = value * 16 + static_cast<int>(digit < 16 ? digit : digit - 6);
    ++position_;
  }
  return static_cast<char>(value);
}

void Scanner::scan_quoted() {
  unescaped_.clear();
  token_.kind = Kind::quoted;
  for (++position_;;) {
    if (position_ == text_.size() || text_[position_] == '\n') fail("a quoted name does not end");
    char c = text_[position_++];
    if (c == '"') break;
    if (c == '\\') {
      const char escaped = position_ < text_.size() ? text_[position_++] : '\0';
      switch (escaped) {
        case '"':
        case '\\':
          c = escaped;
          break;
        case 'n':
          c = '\n';
          break;
        case 't':
          c = '\t';
          break;
        case 'x':
          c = hex_escape();
          break;
        default:
          fail("a backslash in a quoted name stands before \", \\, n, t or xHH");
      }
    }
    unescaped_ += c;
  }
  token_.text = unescaped_;
}

bool Scanner::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

void Scanner::expect(std::string_view text, std::string_view where) {
  if (!accept(text)) {
    fail("expected '" + std::string(text) + "' " + std::string(where) + ", not " + shown());
  }
}

void Scanner::skip_newlines() {
  while (token_.kind == Kind::newline) advance();
}

std::string Scanner::shown() const {
  if (token_.kind == Kind::end) return "the end of the text";
  if (token_.kind == Kind::newline) return "the end of the line";
  std::string text;
  for (char c : token_.text.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
  return "'" + text + (token_.text.size() > 40 ? "...'" : "'");
}

}  // namespace einsummable::exchange
