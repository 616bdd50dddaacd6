// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/size.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace einsummable::exchange {
namespace {

int64_t bytes(std::string_view number, std::string_view unit) {
  std::string reason;
  const auto read = bytes_of(number, unit, reason);
  EXPECT_TRUE(read) << reason;
  return read.value_or(-1);
}

TEST(ExchangeSize, IsExact) {
  EXPECT_EQ(bytes("1.5", "GB"), 1'500'000'000);
  EXPECT_EQ(bytes("0.000000001", "GB"), 1);
  EXPECT_EQ(bytes("1.10", "kB"), 1'100);
  EXPECT_EQ(bytes("007", "B"), 7);
  EXPECT_EQ(bytes("0.5", "GiB"), int64_t{1} << 29);
  EXPECT_EQ(bytes("9223372036.854775807", "GB"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(bytes("9223372036854775807", "B"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(bytes("0", "GB"), 0);
}

TEST(ExchangeSize, TextIsShortAndReadsBack) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(17), "17 B");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(1'500'000'000), "1.5 GB");
  EXPECT_EQ(size_text(1'000'000'001), "1000000001 B");
  std::mt19937_64 random(4);
  for (int round = 0; round < 10'000; ++round) {
    const int64_t value = static_cast<int64_t>(random() >> (1 + random() % 63));
    for (int64_t v : {value, value / 1000 * 1000, value / 1024 * 1024}) {
      const std::string text = size_text(v);
      const size_t blank = text.find(' ');
      ASSERT_EQ(bytes(text.substr(0, blank), text.substr(blank + 1)), v) << text;
    }
  }
}

}  // namespace
}  // namespace einsummable::exchange
