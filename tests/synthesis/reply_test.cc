// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/reply.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

Program preamble(std::string_view text) {
  ParseVerdict read = parse(text);
  EXPECT_TRUE(read.ok) << "line " << read.line << ": " << read.reason;
  return std::move(read.program);
}

const std::string sum_of_two = "GPUS: 0, 1, 2\nIN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\n";

// What follows the preamble in the program found, or "refused: " and why.
std::string found(const std::string& text, const std::string& start = sum_of_two) {
  const Program begin = preamble(start);
  const Reply reply = read_reply(text, begin);
  if (!reply.ok) return "refused: " + reply.reason;
  EXPECT_TRUE(check(reply.program, {.members = reply.members}).ok());
  EXPECT_EQ(preamble_text(reply.program).substr(0, preamble_text(begin).size()),
            preamble_text(begin));
  return print(reply.program).substr(preamble_text(begin).size());
}

const std::string swap = "BODY:\nA @ 0 -> 1\nB @ 1 -> 0\nA+B @ 0, 1\n";

TEST(Reply, AProgramIsFoundInFencesAndProse) {
  const std::string body = "A @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1";
  for (const std::string& text : std::vector<std::string>{
           body, "```\n" + body + "\n```",
           "Swap, then add:\n\n```exprog\n" + body + "\n```\nEach link is used once @ most.",
           "~~~\n" + body + "\n~~~", "```\n" + body,
           "Here it is.\n" + body + "\nThis sends A to 1 and B to 0.",
           "1. `A @ 0 -> 1`\n2. `B @ 1 -> 0`\n3) A+B @ 0, 1",
           "- A @ 0 -> 1 # first\n* B @ 1 -> 0\n- A+B @ 0, 1",
           "```python\nprint('no program')\n```\nso\n```\n" + body + "\n```",
           "```\r\n  A @ 0 -> 1;\r\n  B @ 1 -> 0\r\n  A+B @ 0, 1\r\n```\r\n"}) {
    EXPECT_EQ(found(text), swap) << text;
  }
}

TEST(Reply, ThePreambleOfTheReplyDoesNotCount) {
  const std::string body = "A @ 0 -> 1\nB @ 1 -> 0\nA+B @ 0, 1\n";
  for (const std::string& head : std::vector<std::string>{
           "IN: A @ 0, 1; B @ 0, 1\nOUT: A @ 0\n",
           "exprog 1\nGPUS: 0, 1\nPARTITIONS: G {0}; H {1}\nIN: A @ 0 (size: 1 B);\n  B @ "
           "1\nOUT:\n",
           "GPUS: 0,\n 1,\n 2\nIN: A+B @ 0, 1 # done\nOUT: A+B @ 0, 1\nBODY:\n",
           "PARTITIONS: G {size 1}\nH {size 2}\nIN: A @ 0\nOUT: A+B @ 7\nBODY: "}) {
    EXPECT_EQ(found("```\n" + head + body + "```"), swap) << head;
    EXPECT_EQ(found(head + body), swap) << head;
  }
}

TEST(Reply, AtomsMayBeSplit) {
  EXPECT_EQ(found("```\nSPLIT: A, B into 2\nA.0 @ 0 -> 1; A.1 @ 0 -> 2 -> 1\nB @ 1 -> 0\n"
                  "A+B @ 0, 1\n```"),
            "SPLIT: A, B into 2\nBODY:\nA.0 @ 0 -> 1\nA.1 @ 0 -> 2\nA.1 @ 2 -> 1\nB @ 1 -> 0\n"
            "A+B @ 0, 1\n");
  // Atoms that are split in the preamble stay as they are.
  EXPECT_EQ(found("SPLIT: A, B into 9\nA @ 0 -> 1; B @ 1 -> 0; A+B @ 0, 1",
                  sum_of_two + "SPLIT: A, B into 2\n"),
            swap);
}

TEST(Reply, TheProgramIsInTheIdsOfThePreamble) {
  Program begin;
  begin.set_sites(2);
  const AtomId z = begin.add_atom({.name = "unused"});
  const AtomId b = begin.add_atom({.name = "B", .bytes = 7});
  const AtomId a = begin.add_atom({.name = "A", .bytes = 7});
  begin.give(begin.aggregate(a), SiteId(0));
  begin.give(begin.aggregate(b), SiteId(1));
  begin.require(begin.aggregate(std::vector{a, b}), SiteId(1));
  const Reply reply = read_reply("A @ 0 -> 1; A+B @ 1", begin);
  ASSERT_TRUE(reply.ok) << reply.reason;
  EXPECT_EQ(reply.program.atom(z).name, "unused");
  EXPECT_EQ(reply.program.body()[0], (Action{begin.aggregate(a), SiteId(0), {Place(SiteId(1))}}));
  EXPECT_EQ(reply.program.body()[1].aggregate, begin.required()[0].aggregate);
}

TEST(Reply, MembersAreThoseItNamesElseTheFirstThatWork) {
  const std::string open =
      "GPUS: 0, 1, 2\nPARTITIONS: G {size 1}; H {size 2}\nIN: A @ 0; B @ 1\nOUT: A+B @ G\n";
  const auto members = [&](const std::string& text) {
    const Reply reply = read_reply(text, preamble(open));
    EXPECT_TRUE(reply.ok) << reply.reason;
    return reply.ok ? reply.members[0][0].value : -1;
  };
  const std::string body = "A @ 0 -> 1; B @ 1 -> 0; A+B @ 0, 1";
  EXPECT_EQ(members(body), 0);
  EXPECT_EQ(members("PARTITIONS: G {1}; H {0, 2}\nIN:\nOUT:\n" + body), 1);
  EXPECT_EQ(members("PARTITIONS: G {1}\nH {0, 2}\nIN:\nOUT:\n" + body), 1);
  EXPECT_EQ(members("PARTITIONS: G {1, 2}; H {0}\nIN:\nOUT:\n" + body), 0);
  EXPECT_EQ(members("PARTITIONS: Q {1}\nIN:\nOUT:\n" + body), 0);
}

TEST(Reply, SaysWhatIsWrong) {
  EXPECT_EQ(found(""), "refused: it holds no program");
  EXPECT_EQ(found("I cannot help with that."), "refused: it holds no program");
  EXPECT_EQ(found("```\nfor a @ b:\n```"),
            "refused: line 1 of the body, \"for a @ b:\": there is no atom for; IN declares atoms");
  EXPECT_EQ(found("```\nBODY:\nA @ 0 -> 1\nC @ 0 -> 1\n```"),
            "refused: line 2 of the body, \"C @ 0 -> 1\": there is no atom C; IN declares atoms");
  EXPECT_EQ(found("```\nA @ 0 -> 1\n```"), "refused: not valid: OUT is not met: A+B is never at 0");
  EXPECT_EQ(found("```\nSPLIT: A into 0\nA @ 0 -> 1\n```").substr(0, 58),
            "refused: the sections before the body, \"SPLIT: A into 0\": ");
  EXPECT_EQ(found("```\n\"\x01\xff\n\" @ 0\n```").find('\xff'), std::string::npos);
  // The reason is of the last block, unless an earlier one is valid.
  EXPECT_EQ(found("```\nA @ 9\n```\n```\nB @ 0\n```"),
            "refused: not valid: B @ 0 can never fire: B is missing at 0");
  EXPECT_EQ(found("```\nA @ 0 -> 1; B @ 1 -> 0; A+B @ 0, 1\n```\n```\nB @ 0\n```"), swap);
}

TEST(Reply, HugeRepliesAreRefusedInNoTime) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(found(std::string(2'000'000, 'x')),
            "refused: it is 2000000 bytes long; at most 1000000 are read");
  std::string split = "```\nSPLIT: A, B into 60000\n";
  for (int i = 0; i < 40; ++i) split += "A @ 0 -> 1, 2; A @ 0; B @ 1 -> 0; ";
  EXPECT_EQ(found(split + "\n```").substr(0, 9), "refused: ");
  for (const std::string line :
       {"A @ 0 -> 1\n", "```\n", "`\n", "- ", "\"", "A+", "@", "IN:\n", ",\n"}) {
    std::string text;
    while (text.size() < 900'000) text += line;
    EXPECT_EQ(found(text).substr(0, 9), "refused: ");
    EXPECT_EQ(found("```\n" + text).substr(0, 9), "refused: ");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Whatever comes, the verdict is one, and a program found is valid for the preamble.
TEST(Reply, AnyTextGivesAVerdict) {
  std::mt19937_64 random(31);
  const std::vector<std::string> pieces = {
      "A",    "B",          "A+B",     " @ ",          "0",     "1",       " -> ", ", ",
      "; ",   "\n",         "```\n",   "IN: ",         "OUT: ", "SPLIT: ", "# ",   "\"",
      "\\",   "BODY:",      " into 2", "PARTITIONS: ", "{",     "}",       "A.0",  "exprog 1\n",
      "\xff", "(size: 1 B)"};
  const std::string body = "A @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1\n";
  int ok = 0;
  for (int round = 0; round < rounds(3'000, 100'000); ++round) {
    std::string text = random() % 2 == 0 ? body : "";
    for (uint64_t k = random() % 12; k > 0; --k) {
      const std::string& piece = pieces[random() % pieces.size()];
      text.insert(random() % 3 == 0 ? random() % (text.size() + 1) : text.size(), piece);
    }
    ok += found(text).starts_with("refused: ") ? 0 : 1;
  }
  EXPECT_GT(ok, rounds(3'000, 100'000) / 50);
}

TEST(Reply, WhatIsPrintedIsFoundAgain) {
  std::mt19937_64 random(32);
  for (int round = 0; round < rounds(200, 5'000); ++round) {
    Program program = parse(print(valid_program(random))).program;
    Program begin = program;
    begin.set_body({});
    if (program.body().empty()) continue;
    if (round % 2 == 0) program = in_pieces(program, random);
    const Reply reply = read_reply("```\n" + print(program) + "```\n", begin);
    ASSERT_TRUE(reply.ok) << reply.reason << '\n' << print(program);
    EXPECT_EQ(print(reply.program), print(parse(print(program)).program)) << print(program);
  }
}

}  // namespace
}  // namespace einsummable::synthesis
