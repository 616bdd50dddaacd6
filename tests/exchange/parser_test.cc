// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/parser.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/printer.h"
#include "tests/exchange/program_files.h"

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

}  // namespace
}  // namespace einsummable::exchange
