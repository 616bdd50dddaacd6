// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/checked.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace einsummable {
namespace {

__extension__ typedef __int128 Wide;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(Checked, AgreesWithWiderArithmeticAtEveryBorder) {
  const std::vector<int64_t> borders = {
      kMin,       kMin + 1,   -(int64_t{1} << 32), -3,       -1,  0, 1, 2,
      3037000499, 3037000500, int64_t{1} << 32,    kMax - 1, kMax};
  for (int64_t a : borders) {
    for (int64_t b : borders) {
      const Wide sum = static_cast<Wide>(a) + b;
      const Wide product = static_cast<Wide>(a) * b;
      const auto fits = [](Wide v) { return v >= kMin && v <= kMax; };
      EXPECT_EQ(try_add(a, b).has_value(), fits(sum));
      EXPECT_EQ(try_multiply(a, b).has_value(), fits(product));
      if (fits(sum)) {
        EXPECT_EQ(checked_add(a, b), static_cast<int64_t>(sum));
      } else {
        EXPECT_THROW(checked_add(a, b), Error);
      }
      if (fits(product)) {
        EXPECT_EQ(checked_multiply(a, b), static_cast<int64_t>(product));
      } else {
        EXPECT_THROW(checked_multiply(a, b), Error);
      }
    }
  }
}

TEST(Checked, RoundsUp) {
  EXPECT_EQ(round_up(0, 64), 0);
  EXPECT_EQ(round_up(1, 64), 64);
  EXPECT_EQ(round_up(64, 64), 64);
  EXPECT_THROW(round_up(kMax, 64), Error);
}

}  // namespace
}  // namespace einsummable
