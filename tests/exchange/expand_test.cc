// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/expand.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"

namespace einsummable::exchange {
namespace {

TEST(ExchangeExpand, PiecesTakeThePlaceOfTheWhole) {
  const ParseVerdict read = parse(R"(IN: A @ 0 (size: 10 B); B @ 1 (size: 10 B); A+B @ 2; C @ 2
OUT: A+B @ 0 (size: 5 B); C @ 0
SPLIT: A, B into 3
B @ 1 -> 0; C @ 2 -> 0
A+B @ 0; A.1 @ 0 -> 1 -> 2
A.2+B.2 @ 0 -> 1
)");
  ASSERT_TRUE(read.ok) << read.reason;
  EXPECT_EQ(print(expand(read.program)), R"(exprog 1
GPUS: 0, 1, 2
IN: A.0 @ 0 (size: 4 B); A.1 @ 0 (size: 3 B); A.2 @ 0 (size: 3 B); B.0 @ 1 (size: 4 B);
    B.1 @ 1 (size: 3 B); B.2 @ 1 (size: 3 B); A.0+B.0 @ 2; A.1+B.1 @ 2; A.2+B.2 @ 2; C @ 2
OUT: A.0+B.0 @ 0 (size: 2 B); A.1+B.1 @ 0 (size: 1 B); A.2+B.2 @ 0 (size: 2 B); C @ 0
BODY:
B.0 @ 1 -> 0
B.1 @ 1 -> 0
B.2 @ 1 -> 0
C @ 2 -> 0
A.0+B.0 @ 0
A.1+B.1 @ 0
A.2+B.2 @ 0
A.1 @ 0 -> 1
A.1 @ 1 -> 2
A.2+B.2 @ 0 -> 1
)");
  EXPECT_EQ(parse(print(expand(read.program))).program, expand(read.program));
  const Verdict verdict = check(read.program);
  EXPECT_TRUE(verdict.ok()) << verdict.reason;
}

TEST(ExchangeExpand, AWholeNeedsAllItsPieces) {
  const std::string text = "IN: A @ 0\nOUT: A @ 1\nSPLIT: A into 2\nA.0 @ 0 -> 1\n";
  const Verdict verdict = check(parse(text).program);
  EXPECT_EQ(verdict.reason, "OUT is not met: A.1 is never at 1");
  EXPECT_TRUE(check(parse(text + "A.1 @ 0 -> 1").program).ok());
}

TEST(ExchangeExpand, AProgramWithoutSplitsIsItself) {
  const Program program = parse("IN: A @ 0\nOUT: A @ 1\nA @ 0 -> 1").program;
  EXPECT_EQ(expand(program), program);
}

}  // namespace
}  // namespace einsummable::exchange
