// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/collective.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/well_formed.h"

namespace einsummable::exchange {
namespace {

TEST(Collective, AtThreeSites) {
  const auto text = [](std::string_view name) { return print(collective(name, 3, 1'500'000)); };
  EXPECT_EQ(text("all-reduce"), R"(exprog 1
GPUS: 0, 1, 2
IN: A0 @ 0 (size: 1.5 MB); A1 @ 1 (size: 1.5 MB); A2 @ 2 (size: 1.5 MB)
OUT: A0+A1+A2 @ 0, 1, 2
)");
  EXPECT_EQ(text("broadcast"), R"(exprog 1
GPUS: 0, 1, 2
IN: A @ 0 (size: 1.5 MB)
OUT: A @ 0, 1, 2
)");
  EXPECT_EQ(text("reduce-scatter").substr(text("reduce-scatter").find("OUT")),
            "OUT: A0_0+A0_1+A0_2 @ 0; A1_0+A1_1+A1_2 @ 1; A2_0+A2_1+A2_2 @ 2\n");
}

TEST(Collective, AllAreWellFormedAndReadBack) {
  for (const std::string& name : collective_names()) {
    for (int64_t sites : {2, 3, 8, 72}) {
      const Program made = collective(name, sites, 1000);
      EXPECT_FALSE(ill_formed(made)) << name;
      const ParseVerdict read = parse(print(made));
      ASSERT_TRUE(read.ok) << name << ": " << read.reason;
      EXPECT_EQ(read.program, made) << name;
    }
  }
}

std::string mistake(std::string_view name, int64_t sites, int64_t bytes) {
  try {
    collective(name, sites, bytes);
  } catch (const ExchangeError& error) {
    return error.what();
  }
  return "none";
}

TEST(Collective, SaysWhatIsWrong) {
  EXPECT_EQ(mistake("all-red", 8, 1),
            "there is no collective \"all-red\"; there are all-gather, all-reduce, all-to-all, "
            "broadcast, reduce, reduce-scatter");
  EXPECT_EQ(mistake("reduce", 1, 1), "a collective is over 2 to 255 sites, not 1");
  EXPECT_EQ(mistake("reduce", 256, 1), "a collective is over 2 to 255 sites, not 256");
  EXPECT_EQ(mistake("reduce", 8, 0), "an atom has at least 1 byte, not 0");
}

}  // namespace
}  // namespace einsummable::exchange
