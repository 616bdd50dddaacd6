// SPDX-License-Identifier: Apache-2.0
// Every way a text is no program, each with its own message and line.
#include <gtest/gtest.h>

#include "einsummable/exchange/parser.h"

namespace einsummable::exchange {
namespace {

struct Case {
  std::string text;
  int line;
  std::string reason;
};

void expect_refused(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const ParseVerdict read = parse(c.text);
    EXPECT_FALSE(read.ok) << c.text;
    EXPECT_EQ(read.line, c.line) << c.text;
    EXPECT_EQ(read.reason, c.reason) << c.text;
  }
}

TEST(ExchangeParserErrors, Names) {
  expect_refused({
      {"IN: A @ 0\nOUT: B @ 0", 2, "there is no atom B; IN declares atoms"},
      {"IN: A @ 0\nOUT: A @ 0\n\nA+B @ 0", 4, "there is no atom B; IN declares atoms"},
      {"IN: A @ 0\nOUT: A @ G", 2, "there is no partition G; PARTITIONS declares them"},
      {"IN: A @ 0\nOUT: A @ 0\nA @ 0 -> G", 3, "there is no partition G; PARTITIONS declares them"},
      {"IN: A @ 0\nOUT: A @ 0\nSPLIT: B into 2", 3, "there is no atom B; IN declares atoms"},
      {"IN: A @ 0; B @ 0\nOUT: A+B+A @ 0", 2,
       "atom A is twice in an aggregate; each copy counts once"},
      {"IN: 7 @ 0\nOUT:", 1, "expected the name of an atom, not '7'"},
      {"IN: A+ @ 0\nOUT:", 1, "expected the name of an atom, not '@'"},
      {"IN: A @ 0; \"b\nOUT:", 1, "a quoted name does not end"},
      {"IN: \"\\q\" @ 0", 1, "a backslash in a quoted name stands before \", \\, n, t or xHH"},
      {"IN: \"\\x4\" @ 0", 1, "\\x takes two hexadecimal digits"},
  });
}

TEST(ExchangeParserErrors, Sites) {
  expect_refused({
      {"GPUS: 0, 1\nIN: A @ 2\nOUT:", 2, "site 2 is not one of GPUS"},
      {"GPUS: 0, 1\nIN: A @ 0\nOUT: A @ 0\nA @ 0 -> 1,\n 9", 5, "site 9 is not one of GPUS"},
      {"GPUS: 0, 65536\nIN:\nOUT:", 1, "site 65536: sites are numbered 0 to 65535"},
      {"GPUS:\nIN:\nOUT:", 1, "GPUS: names no site"},
      {"GPUS: 0 1\nIN:\nOUT:", 1, "expected ';' or the end of the line after the sites, not '1'"},
      {"IN: A @ 1.5\nOUT:", 1, "a site is a whole number, not '1.5'"},
      {"IN: A @ 0x1\nOUT:", 1, "expected ';' or the end of the line after an entry, not 'x1'"},
      {"IN: A @ -1\nOUT:", 1, "a program has no '-' here"},
      {"IN: A @ 99999999999999999999\nOUT:", 1,
       "a site is a whole number, not '99999999999999999999'"},
      {"IN: A @\nOUT:", 1, "a site is a whole number, not the end of the line"},
      {"IN: A @ 0,", 1, "a site is a whole number, not the end of the text"},
  });
}

TEST(ExchangeParserErrors, Partitions) {
  const std::string rest = "\nIN: A @ 0\nOUT: A @ 0";
  expect_refused({
      {"GPUS: 0, 1\nPARTITIONS: G {0, 1}\n  H {1}" + rest, 3,
       "partitions G and H overlap: both hold site 1"},
      {"GPUS: 0, 1\nPARTITIONS: G {0}" + rest, 2,
       "the partitions hold 1 sites, but there are 2; partitions cover the sites"},
      {"GPUS: 0, 1\nPARTITIONS: G {0}; H {size 2}" + rest, 2,
       "the partitions hold 3 sites, but there are 2; partitions cover the sites"},
      {"PARTITIONS: G {0}\nIN: A @ 1\nOUT: A @ 1", 1,
       "the partitions hold 1 sites, but there are 2; partitions cover the sites"},
      {"GPUS: 0, 1\nPARTITIONS: G {0, 1} G {1}" + rest, 2, "partition G is there twice"},
      {"GPUS: 0, 1\nPARTITIONS: G {0, 1, 2}" + rest, 2, "site 2 is not one of GPUS"},
      {"GPUS: 0, 1\nPARTITIONS: G {}" + rest, 2, "partition G has no sites"},
      {"GPUS: 0, 1\nPARTITIONS: G {0, 1} H {size 0}" + rest, 2, "partition H has no sites"},
      {"PARTITIONS: G {size}" + rest, 1, "the size of a partition is a whole number, not '}'"},
      {"PARTITIONS: G {size 9999}" + rest, 1, "a program has at most 4096 sites"},
      {"PARTITIONS: G {0 1}" + rest, 1, "expected '}' after the sites of a partition, not '1'"},
      {"PARTITIONS: G 0" + rest, 1, "expected '{' after the name of a partition, not '0'"},
      {"PARTITIONS: G {0}\nIN: A @ G\nOUT:", 2,
       "IN places aggregates at sites, and G is a partition"},
  });
}

TEST(ExchangeParserErrors, Sizes) {
  expect_refused({
      {"IN: A @ 0 (size: 1 GB);\nB @ 0 (size: 2 GB)\nOUT: A+B @ 0", 3,
       "A and B have different sizes (1 GB, 2 GB); the atoms of an aggregate have one size"},
      {"IN: A+B @ 3;\n A @ 0 (size: 2 GB)\nOUT:", 1,
       "A and B have different sizes (2 GB, 1 GB); the atoms of an aggregate have one size"},
      {"IN: A @ 0; A @ 1 (size: 2 GB); A @ 2 (size: 3 GB)\nOUT:", 1,
       "atom A has two sizes, 2 GB and 3 GB"},
      {"IN: A @ 0 (grain: 2 B); A @ 1 (grain: 4 B)\nOUT:", 1, "atom A has two grains, 2 B and 4 B"},
      {"IN: A @ 0 (size: 10 B, grain: 4 B)\nOUT:", 1,
       "the size of atom A (10 B) is not a multiple of its grain (4 B)"},
      {"IN: A @ 0 (grain: 0 B)\nOUT:", 1, "atom A has a grain of no bytes"},
      {"IN: A @ 0\nOUT: A @ 0 (size: 1 B); A @ 1 (size: 2 B)", 2,
       "A has two OUT sizes, 1 B and 2 B"},
      {"IN: A @ 0; B @ 0\nOUT: A @ 0 (size: 1 B);\nA+B @ 0", 1,
       "A has its own OUT size and lies inside A+B; a complete result is not aggregated further"},
      {"IN: A @ 0\nOUT: A @ 0 (grain: 2 B)", 2, "a grain stands in IN, not in OUT"},
      {"IN: A @ 0 (size: 1 GB, size: 1 GB)\nOUT:", 1, "the size is there twice"},
      {"IN: A @ 0 (grain: 1 B, grain: 1 B)\nOUT:", 1, "the grain is there twice"},
      {"IN: A @ 0 (weight: 1 GB)\nOUT:", 1, "expected 'size' or 'grain', not 'weight'"},
      {"IN: A @ 0 (size 1 GB)\nOUT:", 1, "expected ':' after 'size', not '1'"},
      {"IN: A @ 0 (grain 1 GB)\nOUT:", 1, "expected ':' after 'grain', not '1'"},
      {"IN: A @ 0 (size: big)\nOUT:", 1, "expected a size, as 1.5 GB, not 'big'"},
      {"IN: A @ 0 (size: 1)\nOUT:", 1,
       "expected a unit of size (B, kB, MB, GB, KiB, MiB, GiB) after 1, not ')'"},
      {"IN: A @ 0 (size: 1,5 GB)\nOUT:", 1,
       "expected a unit of size (B, kB, MB, GB, KiB, MiB, GiB) after 1, not ','"},
      {"IN: A @ 0 (size: 1e9 B)\nOUT:", 1,
       "'e9' is no unit of size; B, kB, MB, GB, KiB, MiB and GiB are"},
      {"IN: A @ 0 (size: 0x10 B)\nOUT:", 1,
       "'x10' is no unit of size; B, kB, MB, GB, KiB, MiB and GiB are"},
      {"IN: A @ 0 (size: 1 TB)\nOUT:", 1,
       "'TB' is no unit of size; B, kB, MB, GB, KiB, MiB and GiB are"},
      {"IN: A @ 0 (size: -1 GB)\nOUT:", 1, "a program has no '-' here"},
      {"IN: A @ 0 (size: 0.5 B)\nOUT:", 1, "0.5 B is not a whole number of bytes"},
      {"IN: A @ 0 (size: 9999999999 GB)\nOUT:", 1, "9999999999 GB is too large"},
      {"IN: A @ 0 (size: 9999999999999999999999999 GB)\nOUT:", 1,
       "9999999999999999999999999 GB is too large"},
      {"IN: A @ 0 (size: 0.0000000000000000000000001 GB)\nOUT:", 1,
       "0.0000000000000000000000001 GB has more than 24 decimals"},
      {"IN: A @ 0 (size: 1 GB\nOUT:", 1, "expected ')' after a size, not the end of the line"},
  });
}

TEST(ExchangeParserErrors, Splits) {
  const std::string start = "IN: A, B @ 0\nOUT:";
  const std::string two = "IN: A @ 0 (size: 8 B); B @ 0 (size: 8 B)\nOUT: A+B @ 0\n";
  const std::string apart = "IN: A @ 0 (size: 8 B); B @ 0 (size: 8 B)\nOUT: A @ 0\n";
  expect_refused({
      {start, 1, "expected '@' after an aggregate, not ','"},
      {two + "SPLIT: A, B into 2 (4 B, 5 B)", 3, "the pieces of A add up to 9 B, not to its 8 B"},
      {two + "SPLIT: A, B into 2 (8 B, 0 B)", 3, "a piece of A would have no bytes"},
      {two + "SPLIT: A, B into 2 (8 B)", 3, "into 2 pieces, but 1 sizes"},
      {two + "SPLIT: A into 0", 3, "atom A has 8 grains of 1 B, too few for 0 pieces"},
      {two + "SPLIT: A into 9", 3, "atom A has 8 grains of 1 B, too few for 9 pieces"},
      {two + "SPLIT: A into 99999999", 3, "a program has at most 65536 atoms and pieces"},
      {two + "SPLIT: A into many", 3, "the number of pieces is a whole number, not 'many'"},
      {two + "SPLIT: A 3", 3, "expected 'into' after the atoms to split, not '3'"},
      {two + "SPLIT: A into 2 pieces", 3,
       "expected ';' or the end of the line after a split, not 'pieces'"},
      {two + "SPLIT: A into 2 (4 B, 4 B", 3,
       "expected ')' after the sizes of pieces, not the end of the text"},
      {two + "SPLIT: A into 2", 2,
       "A and B are cut differently; the atoms of an aggregate are split alike"},
      {two + "SPLIT: A into 2; B into 4", 2,
       "A and B are cut differently; the atoms of an aggregate are split alike"},
      {two + "SPLIT: A, A into 2", 3, "atom A is split twice"},
      {two + "SPLIT: A, B into 2\nSPLIT: A into 2", 4, "there is a second SPLIT:"},
      {two + "SPLIT: A, B into 2; A.0 into 2", 3, "A.0 is a piece; a piece is not split again"},
      {"IN: A @ 0 (size: 8 B, grain: 4 B)\nOUT:\nSPLIT: A into 2 (6 B, 2 B)", 3,
       "a piece of 6 B is not a multiple of the grain of A (4 B)"},
      {"IN: A @ 0; A.1 @ 0\nOUT:\nSPLIT: A into 2", 3,
       "a piece would be named A.1, a name already taken"},
      {two + "SPLIT: A, B into 2\nA.0+B.1 @ 0", 4,
       "A.0 and B.1 are pieces of different numbers; pieces meet at equal numbers"},
      {two + "SPLIT: A, B into 2\nA.0+B @ 0", 4,
       "B and A.0 have different sizes (8 B, 4 B); the atoms of an aggregate have one size"},
      {"IN: A @ 0 (size: 8 B); B @ 0 (size: 4 B)\nOUT:\nSPLIT: A into 2\nA.0+B @ 0", 4,
       "B and A.0 are cut differently; the atoms of an aggregate are split alike"},
      {apart + "SPLIT: A into 2 (4 B, 4 B); B into 3 (4 B, 2 B, 2 B)\nA.0+B.0 @ 0", 4,
       "A.0 and B.0 are pieces of atoms that are cut differently"},
  });
}

TEST(ExchangeParserErrors, Actions) {
  const std::string start = "PARTITIONS: G {0, 1, 2}\nIN: A @ 0; B @ 1\nOUT: A @ 0\n";
  expect_refused({
      {start + "A @ 0, 1 -> 2", 4, "an action with an arrow has one source"},
      {start + "A @ G -> 2", 4, "the source of an arrow is one site, and G is a partition"},
      {start + "A @ 0 -> 1, 2 -> 0", 4, "a relay passes through one site at a time"},
      {start + "A @ 0 -> G -> 0", 4, "a relay passes through one site at a time"},
      {start + "A @ 0 1", 4, "expected ';' or the end of the line after an action, not '1'"},
      {start + "A -> 1", 4, "expected '@' after an aggregate, not '->'"},
      {start + "A @ 0 ->", 4, "a site is a whole number, not the end of the text"},
      {start + "A @ 0 (size: 1 GB)", 4,
       "expected ';' or the end of the line after an action, not '('"},
      {start + "A @ 0\n-> 1", 5, "expected the name of an atom, not '->'"},
      {start + "A+C @ 0", 4, "there is no atom C; IN declares atoms"},
      {"IN: A @ 0 (size: 1 B); B @ 0\nOUT: A @ 0\nA @ 0\nA+B @ 0", 4,
       "A and B have different sizes (1 B, 1 GB); the atoms of an aggregate have one size"},
  });
}

TEST(ExchangeParserErrors, Sections) {
  expect_refused({
      {"", 1, "the program has no IN:"},
      {"IN: A @ 0\n", 2, "the program has no OUT:"},
      {"OUT: A @ 0", 1, "the program has no IN: before OUT:"},
      {"IN: A @ 0\nSPLIT: A into 2", 2, "the program has no OUT: before SPLIT:"},
      {"IN: A @ 0\nBODY:", 2, "the program has no OUT: before BODY:"},
      {"IN: A @ 0\nIN: B @ 0", 2, "there is a second IN:"},
      {"IN: A @ 0\nGPUS: 0", 2,
       "GPUS: comes too late; the order is GPUS, PARTITIONS, IN, OUT, SPLIT, BODY"},
      {"IN:\nOUT:\nFOO: 1", 3,
       "there is no section FOO:; GPUS, SITES, PARTITIONS, IN, OUT, SPLIT and BODY are"},
      {"IN: A @ 0\nB @ 0", 2,
       "expected a section (GPUS:, PARTITIONS:, IN:, OUT:), not 'B'; a section goes on to the next "
       "line "
       "only after ';' or ','"},
      {"IN: A @ 0\nOUT: A @ 0;\nA @ 0 -> 1", 3,
       "OUT has no arrows; it goes on after a line that ends in ';' or ','"},
      {"exprog 2\nIN:\nOUT:", 1, "version '2' is not known; this reads exprog 1"},
      {"exprog\nIN:\nOUT:", 1, "version the end of the line is not known; this reads exprog 1"},
      {"exprog 1 IN:\nOUT:", 1, "expected ';' or the end of the line after the version, not 'IN'"},
      {"IN: A @ 0\nOUT: A @ 0 B @ 0", 2,
       "expected ';' or the end of the line after an entry, not 'B'"},
      {"IN: A @ 0 & B @ 0", 1, "a program has no '&' here"},
      {"IN: A @ 0 \xE2\x86\x92", 1, "a program has no '?' here"},
  });
}

TEST(ExchangeParserErrors, Limits) {
  const auto refusal = [](const std::string& text, const Limits& limits) {
    return parse(text, limits).reason;
  };
  const std::string text =
      "IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0; A+B @ 1";
  EXPECT_TRUE(parse(text, {.text_bytes = text.size(),
                           .sites = 2,
                           .atoms = 2,
                           .actions = 4,
                           .entries = 2,
                           .named_atoms = 12})
                  .ok);
  EXPECT_EQ(refusal(text, {.text_bytes = 5}),
            "the text has " + std::to_string(text.size()) + " bytes; at most 5 are read");
  EXPECT_EQ(refusal(text, {.sites = 1}), "site 1: a program has at most 1 sites");
  EXPECT_EQ(refusal(text, {.atoms = 1}), "a program has at most 1 atoms and pieces");
  EXPECT_EQ(refusal(text, {.actions = 3}), "a program has at most 3 actions");
  EXPECT_EQ(refusal(text, {.entries = 1}), "a program has at most 1 entries in IN");
  EXPECT_EQ(refusal("IN: A @ 0\nOUT: A @ 0, 1", {.entries = 1}),
            "a program has at most 1 entries in OUT");
  EXPECT_EQ(refusal(text, {.named_atoms = 11}), "the entries and actions name more than 11 atoms");
  EXPECT_EQ(refusal("PARTITIONS: G {0} H {0}\nIN:\nOUT:", {.sites = 1}),
            "a program has at most 1 partitions");
  // Entries and actions count once a piece.
  const std::string split = "IN: A @ 0\nOUT: A @ 0, 1\nSPLIT: A into 5\nA @ 0 -> 1; A @ 1";
  EXPECT_TRUE(parse(split, {.atoms = 6, .actions = 10, .entries = 10}).ok);
  EXPECT_EQ(refusal(split, {.atoms = 5}), "a program has at most 5 atoms and pieces");
  EXPECT_EQ(refusal(split, {.actions = 9}), "a program has at most 9 actions");
  EXPECT_EQ(refusal(split, {.entries = 9}), "a program has at most 9 entries in OUT");
  EXPECT_EQ(refusal(split, {.entries = 4}), "a program has at most 4 entries in IN");
}

// OUT aggregates that overlap in many ways: comparing them all would take quadratic time.
TEST(ExchangeParserErrors, TooManyOverlappingOutSizes) {
  std::string in = "IN: ", out = "OUT: ";
  const auto name = [](int a) { return "a" + std::to_string(a); };
  for (int a = 0; a < 2000; ++a) in += name(a) + " @ 0; ";
  for (int a = 300; a < 1200; ++a) {
    for (int b = 0; b < 300; ++b) {
      out += name(a) + "+" + name(b);
      out +=
          (a + b) % 2 == 0 ? " @ 0 (size: 1 B); " : "+" + name(1200 + (7 * a + b) % 800) + " @ 0; ";
    }
  }
  const ParseVerdict read = parse(in + "\n" + out);
  EXPECT_EQ(read.reason, "too many OUT aggregates with sizes of their own overlap");
}

}  // namespace
}  // namespace einsummable::exchange
