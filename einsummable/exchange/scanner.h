// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace einsummable::exchange {

// Why a text is no program, and where.
struct SyntaxFault {
  int line = 0;
  std::string reason;
};

// Cuts the text of a program into tokens, front to back, each byte once. Comments and blanks are
// skipped; line ends are tokens.
class Scanner {
 public:
  enum class Kind { end, newline, name, quoted, number, punctuation };

  struct Token {
    Kind kind = Kind::end;
    std::string_view text = {};  // valid until the next token is read
    bool section = false;        // of a name: a colon follows, as in `IN:`
    int line = 1;
  };

  explicit Scanner(std::string_view text) : text_(text) { advance(); }

  const Token& token() const { return token_; }
  bool is_name() const { return token_.kind == Kind::name || token_.kind == Kind::quoted; }
  bool at(std::string_view text) const {
    return token_.text == text && (token_.kind == Kind::punctuation || token_.kind == Kind::name);
  }
  bool at_line_end() const { return token_.kind == Kind::newline || token_.kind == Kind::end; }
  // Moves on. Throws SyntaxFault on a byte that begins no token and on a quote that does not end.
  void advance();
  bool accept(std::string_view text);
  void expect(std::string_view text, std::string_view where);
  void skip_newlines();
  // "'x'", "the end of the line", for messages.
  std::string shown() const;
  [[noreturn]] void fail(std::string reason) const;

 private:
  void skip_blanks();
  void scan_word(Kind kind);
  void scan_number();
  void scan_quoted();
  char hex_escape();

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  std::string unescaped_;
  Token token_;
};

}  // namespace einsummable::exchange
