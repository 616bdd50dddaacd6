// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

TEST(Pad, SurroundsWithItsValue) {
  EXPECT_EQ(applied("pad", {2}, {{"before", Integers{1}}, {"after", Integers{2}}, {"value", 9.0}}),
            (std::vector<double>{9, 0, 1, 9, 9}));
  EXPECT_EQ(refusal("pad", {f32({2})}, {{"before", Integers{1}}, {"after", Integers{}}}),
            "before and after must have one entry for each of the 1 axes of x");
  EXPECT_EQ(refusal("pad", {f32({2})}, {{"before", Integers{1}}, {"after", Integers{-1}}}),
            "padding must be at least 0; axis 0 has 1 and -1");
  EXPECT_EQ(
      refusal("pad", {i32({2})}, {{"before", Integers{1}}, {"after", Integers{1}}, {"value", 0.5}}),
      "the value 0.5 must be an integer in the range of int32");
}

}  // namespace
}  // namespace einsummable
