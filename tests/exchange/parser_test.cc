// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/program_files.h"
#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

TEST(ExchangeParser, ProgramFilesParseAndPrintBackToThemselves) {
  for (const auto& [name, text] : program_files()) {
    const ParseVerdict read = parse(text);
    ASSERT_TRUE(read.ok) << name << " line " << read.line << ": " << read.reason;
    const std::string printed = print(read.program);
    const ParseVerdict again = parse(printed);
    ASSERT_TRUE(again.ok) << name << " line " << again.line << ": " << again.reason << '\n'
                          << printed;
    EXPECT_TRUE(again.program == read.program) << printed;
    EXPECT_EQ(print(again.program), printed);
  }
}

TEST(ExchangeParser, CanonicalTextOfTheLanguageInOnePage) {
  const ParseVerdict read = parse(program_files().at("language.exprog"));
  ASSERT_TRUE(read.ok) << read.reason;
  EXPECT_EQ(print(read.program), R"(exprog 1
GPUS: 0, 1, 2, 3, 4, 5
PARTITIONS: G1 {0, 1}; G2 {2, 3}; Rest {4, 5}
IN: A @ 0 (size: 1.5 GB); B @ 1, 2 (size: 1.5 GB); A+B @ 3; C @ 2 (size: 4 MiB, grain: 4 KiB);
    "a name" @ 5 (size: 17 B)
OUT: A+B @ 0, 1 (size: 750 MB); C @ G1; "a name" @ 5
SPLIT: A, B into 3 (0.6 GB, 0.6 GB, 0.3 GB); C into 2
BODY:
B @ 1 -> 0
A+B @ 0 -> 1, 2
A.0 @ 0 -> 4
A.0 @ 4 -> 5
C @ 2 -> G1
A+B @ G1
C @ 0, 1
)");
}

// Texts made of the words of real programs, and real programs with bytes and lines changed: each is
// refused with a line, or reads, prints and reads back as the same.
TEST(ExchangeParser, MutatedTextIsRefusedOrReadsBackAsItPrints) {
  std::mt19937_64 random(13);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::vector<std::string> texts;
  for (const auto& [name, text] : program_files()) texts.push_back(text);
  const std::vector<std::string> words = {
      "A",  "B",   "A.0",  "\"q\"", "G1",   "0",     "1",     "4",      "@",     "->",
      "+",  ";",   ",",    "\n",    "{",    "}",     "(",     ")",      ":",     "size",
      "GB", "1.5", "into", "IN:",   "OUT:", "GPUS:", "BODY:", "SPLIT:", "grain", "#"};
  int read_well = 0, refused = 0;
  for (int round = 0; round < rounds(6'000, 1'000'000); ++round) {
    std::string text = texts[below(texts.size())];
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      const size_t at = below(text.size() + 1);
      const std::string& word = words[below(words.size())];
      switch (below(5)) {
        case 0:
          text.insert(at, word);
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.replace(at, std::min<size_t>(1, text.size() - at), word);
          break;
        case 3:
          text.insert(at, 1, static_cast<char>(random()));
          break;
        default:
          text.insert(at, text.substr(below(text.size() + 1), below(40)));
      }
    }
    const ParseVerdict read = parse(text);
    if (!read.ok) {
      ++refused;
      ASSERT_FALSE(read.reason.empty()) << text;
      ASSERT_GE(read.line, 1) << text;
      ASSERT_LE(read.line, 1 + std::ranges::count(text, '\n')) << text;
      continue;
    }
    ++read_well;
    const ParseVerdict again = parse(print(read.program));
    ASSERT_TRUE(again.ok) << again.line << ": " << again.reason << '\n' << print(read.program);
    ASSERT_EQ(again.program, read.program) << text;
    ASSERT_EQ(print(again.program), print(read.program));
    check(read.program, {.budget = {.nodes = 1'000, .steps = 100'000}, .tries = 10});
  }
  EXPECT_GT(read_well, rounds(6'000, 1'000'000) / 12);
  EXPECT_GT(refused, rounds(6'000, 1'000'000) / 12);
}

TEST(ExchangeParser, TextMadeOfWordsNeverCrashes) {
  std::mt19937_64 random(14);
  const std::vector<std::string> words = {
      "A",     "B",  "A.0",   "0",      "1",  "@ ",   "->",    "+",       ";",   ",",
      "\n",    "{",  "}",     "(",      ")",  ":",    "size:", "GB",      "1.5", "\"",
      "into ", "\\", "\nIN:", "\nOUT:", "\0", "\xff", "A @ 0", "exprog 1"};
  for (int round = 0; round < rounds(6'000, 1'000'000); ++round) {
    std::string text = random() % 2 == 0 ? "IN: A @ 0; B @ 1\nOUT: A+B @ 0\n" : "";
    for (uint64_t k = random() % 30; k > 0; --k) text += words[random() % words.size()];
    const ParseVerdict read = parse(text);
    if (read.ok) {
      ASSERT_EQ(parse(print(read.program)).program, read.program) << text;
    }
  }
}

TEST(ExchangeParser, NamesOfAnyBytesSurvive) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  for (const std::string& name :
       {all, std::string(1, '\0'), std::string(), std::string("IN:"), std::string("1x")}) {
    Program program;
    program.set_sites(1);
    program.give(program.aggregate(program.add_atom({.name = name})), SiteId(0));
    const ParseVerdict read = parse(print(program));
    ASSERT_TRUE(read.ok) << read.reason << print(program);
    EXPECT_EQ(read.program, program);
    EXPECT_EQ(read.program.atoms()[0].name, name);
  }
}

TEST(ExchangeParser, RepetitionsAreOne) {
  const ParseVerdict read = parse(
      "IN: A @ 0, 0; A @ 0; B @ 1\nOUT: A+B @ 0; B+A @ 0, 0\nA @ 0 -> 1, 1; B @ 1 -> 0\nA @ 0 -> "
      "1\n"
      "A+B @ 0; B+A @ 0");
  ASSERT_TRUE(read.ok) << read.reason;
  EXPECT_EQ(print(read.program), R"(exprog 1
GPUS: 0, 1
IN: A @ 0; B @ 1
OUT: A+B @ 0
BODY:
A @ 0 -> 1
B @ 1 -> 0
A+B @ 0
)");
}

TEST(ExchangeParser, AcceptsWhatTheLanguageLeavesFree) {
  const std::string canonical =
      print(parse("GPUS: 0, 1\nIN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1").program);
  for (const char* text : {
           "SITES: 1, 0\nIN: A @ 0\nOUT: A @ 1\nBODY:\nA @ 0 -> 1",
           "IN: A @ 0;\nOUT: A @ 1;\nBODY: A @ 0 -> 1;",
           "exprog 1 # first\r\n\r\nIN : \"A\" @ 0 (size:1GB)\r\nOUT: A@1\r\n;;A@0->1;\r\n",
           "\n\nIN: A @\t0 (size: 1000 MB)\nOUT: A @ 1 (size: 1 GB)\n\n\nA @ 0 -> 1\n\n",
           "GPUS: 0,\n  1\nIN: A @ 0\nOUT: A @ 1 # done\nA @ 0 -> 1 # sent",
       }) {
    const ParseVerdict read = parse(text);
    ASSERT_TRUE(read.ok) << read.line << ": " << read.reason << '\n' << text;
    EXPECT_EQ(print(read.program), canonical) << text;
  }
}

// Repeats `unit` up to `bytes`, after `start`.
std::string long_text(std::string start, const std::function<std::string(int)>& unit,
                      size_t bytes) {
  for (int i = 0; start.size() < bytes; ++i) start += unit(i);
  start.resize(bytes);
  return start;
}

TEST(ExchangeParser, SixteenMegabytesTakeLinearTime) {
  const auto number = [](int i) { return std::to_string(i); };
  const std::string start = "IN: a @ 0\nOUT: a @ 0\n";
  const auto always = [](const char* text) { return [text](int) { return std::string(text); }; };
  const std::vector<std::pair<std::string, std::function<std::string(int)>>> kinds = {
      {start, [&](int i) { return "a @ " + number(i % 4000) + " -> " + number(i / 4000) + "\n"; }},
      {"IN: ", [&](int i) { return "a" + number(i % 60000) + " @ " + number(i % 4000) + "; "; }},
      {"IN: a", [&](int i) { return "+a" + number(i); }},
      {"IN: a @ 0; b @ 0; c @ 0\nOUT: a @ 0\n", always("a+b+c @ 0; a+b @ 0 -> 1\n")},
      {"PARTITIONS: ", [&](int i) { return "G" + number(i) + " {" + number(i) + "} "; }},
      {start, always("a @ 0 -> 1 -> 0 ")},
      {"", always("((((((((")},
      {"", always("\n")},
      {"", always("# \n")},
      {"IN: ", always("x")},
      {"IN: \"", always("\\x41")},
      {"IN: a ", always("                #")},
      {"IN: a @ 0", always(", 0")},
      {start + "SPLIT: a into 9\n", always("a @ 0 -> 1; a.3 @ 0\n")},
  };
  const auto seconds = [](const std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    parse(text);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const size_t full = static_cast<size_t>(rounds(2'000'000, 16'000'000));
  for (size_t k = 0; k < kinds.size(); ++k) {
    const auto& [head, unit] = kinds[k];
    const double quarter = seconds(long_text(head, unit, full / 4));
    const double whole = seconds(long_text(head, unit, full));
    EXPECT_LT(whole, 16 * quarter + 0.5) << "kind " << k << ": " << quarter << " s for a quarter";
    EXPECT_LT(whole, 10) << "kind " << k;
  }
  EXPECT_LT(seconds(long_text(kinds[0].first, kinds[0].second, 16'000'000)), 10);
  EXPECT_FALSE(parse(std::string(16'000'001, '\n')).ok);
}

}  // namespace
}  // namespace einsummable::exchange
