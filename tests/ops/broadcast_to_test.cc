// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

TEST(BroadcastTo, RepeatsAxesOfExtentOne) {
  EXPECT_EQ(applied("broadcast_to", {2, 1}, {{"shape", Integers{2, 2, 2}}}),
            (std::vector<double>{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(notation("broadcast_to", {f32({4, 1})}, {{"shape", Integers{3, 4, 5}}}),
            "i1 1 -> i0 i1 i2");
  EXPECT_EQ(refusal("broadcast_to", {f32({2, 3})}, {{"shape", Integers{3}}}),
            "the shape [3] must have at least as many axes as x (2)");
  EXPECT_EQ(refusal("broadcast_to", {f32({2, 3})}, {{"shape", Integers{4, 3}}}),
            "axis 0 of x has extent 2 and cannot become 4; only extent 1 is repeated");
}

}  // namespace
}  // namespace einsummable
