// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

TEST(Transpose, ReversesOrOrders) {
  EXPECT_EQ(applied("transpose", {2, 3}, {}), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(notation("transpose", {f32({2, 3, 4})}, {{"axes", Integers{-1, 0, 1}}}),
            "i1 i2 i0 -> i0 i1 i2");
  EXPECT_EQ(refusal("transpose", {f32({2, 3})}, {{"axes", Integers{0}}}),
            "axes must list each of the 2 axes of x once; they are [0]");
  EXPECT_EQ(refusal("transpose", {f32({2, 3})}, {{"axes", Integers{0, -2}}}),
            "axes must list each of the 2 axes of x once; they are [0, -2]");
  EXPECT_EQ(refusal("transpose", {f32({2, 3})}, {{"axes", Integers{0, 2}}}),
            "axis 2 must be at least -2 and less than 2");
}

}  // namespace
}  // namespace einsummable
