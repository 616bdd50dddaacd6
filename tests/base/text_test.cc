// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "einsummable/base/syntax_error.h"

namespace einsummable {
namespace {

TEST(Text, AnExcerptIsShort) {
  EXPECT_EQ(excerpt("a \"b\""), "\"a \\\"b\\\"\"");
  EXPECT_EQ(excerpt(std::string(1000, 'x')), '"' + std::string(80, 'x') + "\"...");
}

TEST(Text, AnyBytesSurviveQuoting) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string name;
    for (unsigned i = random() % 12; i > 0; --i) name += static_cast<char>(random() % 256);
    EXPECT_TRUE(is_utf8(quote(name)));
    Lexer lexer(quote(name));
    EXPECT_EQ(lexer.string("a name"), name);
    EXPECT_TRUE(lexer.at_end());
  }
}

TEST(Text, KnowsUtf8) {
  for (const char* good : {"", "plain", "\u00e9", "\u20ac", "\U0001f600", "a\u20acb"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(quote(good), '"' + std::string(good) + '"');
  }
  const char* const wrong[] = {"\xff",
                               "\x80",
                               "\xc3",
                               "\xc0\x80",
                               "\xe0\x80\x80",
                               "\xed\xa0\x80",
                               "\xf4\x90\x80\x80",
                               "\xf0\x80\x80\x80",
                               "\xe2\x82",
                               "ab\xfe"};
  for (const char* bad : wrong) EXPECT_FALSE(is_utf8(bad)) << quote(bad);
  EXPECT_EQ(quote("\xff\u00e9\x80"), "\"\\xff\u00e9\\x80\"");
}

TEST(Text, FloatsSurvivePrinting) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; ++round) {
    const double value = std::bit_cast<double>(random());
    Lexer lexer(float_text(value));
    const double back = lexer.real("a number");
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(back));
    } else {
      EXPECT_EQ(back, value) << float_text(value);
    }
  }
}

TEST(Text, TokensOfALine) {
  Lexer lexer("# head\n\n %0 = input f32[12, -3] \"x\" -> 1e-05 # tail\n\nnext");
  EXPECT_TRUE(lexer.accept("%"));
  EXPECT_EQ(lexer.integer("an id"), 0);
  lexer.expect("=");
  EXPECT_EQ(lexer.identifier("a word"), "input");
  EXPECT_EQ(lexer.identifier("a dtype"), "f32");
  lexer.expect("[");
  EXPECT_EQ(lexer.integer("an extent"), 12);
  lexer.expect(",");
  EXPECT_EQ(lexer.integer("an extent"), -3);
  lexer.expect("]");
  EXPECT_EQ(lexer.string("a name"), "x");
  lexer.expect("->");
  EXPECT_EQ(lexer.real("a number"), 1e-5);
  lexer.end_line();
  EXPECT_EQ(lexer.peek().line, 5);
  EXPECT_EQ(lexer.identifier("a word"), "next");
  EXPECT_TRUE(lexer.at_end());
}

TEST(Text, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](std::string_view text, auto read) {
    try {
      Lexer lexer(text);
      read(lexer);
    } catch (const SyntaxError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("\n  x", [](Lexer& l) { l.integer("an extent"); }),
            "line 2, column 3: expected an extent (an integer) before 'x'");
  EXPECT_EQ(message("99999999999999999999", [](Lexer&) {}),
            "line 1, column 1: the integer 99999999999999999999 does not fit in 64 bits");
  EXPECT_EQ(message("\"abc", [](Lexer&) {}),
            "line 1, column 1: a string is not closed on its line");
  EXPECT_EQ(message("\"\\q\"", [](Lexer&) {}),
            "line 1, column 1: an escape in a string is one of \\\" \\\\ \\n \\t \\xHH");
  EXPECT_EQ(message("1e999", [](Lexer&) {}),
            "line 1, column 1: the number does not fit in a double");
  EXPECT_EQ(message("a b",
                    [](Lexer& l) {
                      l.next();
                      l.end_line();
                    }),
            "line 1, column 3: expected the end of the line before 'b'");
  EXPECT_EQ(message("", [](Lexer& l) { l.expect(":"); }),
            "line 1, column 1: expected ':' before 'end of text'");
}

TEST(Text, RandomBytesGiveTokensOrAnError) {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (unsigned i = random() % 40; i > 0; --i) text += static_cast<char>(random() % 128);
    try {
      Lexer lexer(text);
      while (!lexer.at_end()) lexer.next();
    } catch (const SyntaxError&) {
    }
  }
}

}  // namespace
}  // namespace einsummable
