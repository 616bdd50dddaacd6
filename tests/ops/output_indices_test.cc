// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/output_indices.h"

#include <gtest/gtest.h>

namespace einsummable {
namespace {

TEST(OutputIndices, NameTheAxesOfTheOutput) {
  Signature signature = over_output({3, 1, 5});
  signature.inputs = {broadcast({1, 5}, {3, 1, 5}), broadcast({}, {3, 1, 5})};
  EXPECT_EQ(text(signature), "1 i2,  -> i0 i1 i2");
}

TEST(OutputIndices, FollowAnIndexAtAFactorFromAShift) {
  const AxisMap backward = follow(0, 10, -3, 9);
  EXPECT_EQ(backward(std::vector<Interval>{{0, 2}}), (Interval{6, 10}));
}

TEST(OutputIndices, FindTheElementThatIsRepeated) {
  std::vector<int64_t> at;
  broadcast_position({{0, 1}, {2, 4}}, std::vector<int64_t>{7, 5, 3}, at);
  EXPECT_EQ(at, (std::vector<int64_t>{0, 3}));
}

}  // namespace
}  // namespace einsummable
