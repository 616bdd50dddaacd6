// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace einsummable {

// The text form that all intermediate representations share: a version line, one entry a line,
// names quoted where they are the user's, shortest round-trip floats, no locale, `#` comments to
// the end of a line.

// `name` in double quotes. Quotes, backslashes, control bytes and bytes that are no UTF-8 are
// escaped (\" \\ \n \t \xHH), so that any bytes survive printing and parsing, and texts are UTF-8.
std::string quote(std::string_view name);

// `text` quoted, cut after 80 bytes: for errors about text that may be long.
std::string excerpt(std::string_view text);

// The shortest decimal text that parses back to the same double: 0.1, 1e-05, inf, -inf, nan.
std::string float_text(double value);

// The bytes of the first character of UTF-8 text: one, and those that continue it.
std::string_view first_character(std::string_view text);

// Whether it is all UTF-8, as Unicode defines it.
bool is_utf8(std::string_view text);

// `parts` with `separator` between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Reads one text from front to back, a token at a time. Every failure throws SyntaxError with line
// and column; callers turn it into the Error of their own kind. Never recurses, reads each byte a
// bounded number of times.
class Lexer {
 public:
  enum class Kind { end, newline, identifier, integer, real, string, punctuation };

  struct Token {
    Kind kind = Kind::end;
    std::string text;     // identifier, punctuation ("->" is one token), unescaped string, digits
    int64_t integer = 0;  // of an integer
    double real = 0;      // of a real or an integer
    int line = 1, column = 1;
  };

  // Identifiers are [A-Za-z_][A-Za-z0-9_.]*. Integers and reals may carry a leading '-'. Newlines
  // are tokens; runs of them, blank lines and comments count as one.
  explicit Lexer(std::string_view text);

  const Token& peek() const { return token_; }
  Token next();  // the current token; moves on
  bool at(std::string_view punctuation_or_word) const;
  bool accept(std::string_view punctuation_or_word);  // moves on if it is the current token
  void expect(std::string_view punctuation_or_word);
  std::string identifier(std::string_view what);
  int64_t integer(std::string_view what);
  double real(std::string_view what);  // also inf, -inf, nan
  std::string string(std::string_view what);
  void end_line();  // a newline or the end
  bool at_end() const { return token_.kind == Kind::end; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void advance();
  void scan_number();
  void scan_string();

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  size_t line_start_ = 0;
  Token token_;
};

}  // namespace einsummable
