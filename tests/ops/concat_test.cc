// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(Concat, ReadsNothingOfTensorsOutsideItsBlock) {
  const auto op = operator_of("concat", {f32({2}), f32({0}), f32({4})}, {{"axis", int64_t{0}}});
  const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
  EXPECT_EQ(text(JoinAggSpec(signature, {{0, 2, 5, 6}})),
            "cell 0  [0:2] [0:0] [0:0] -> [0:2]\n"
            "cell 1  [2:2] [0:0] [0:3] -> [2:5]\n"
            "cell 2  [2:2] [0:0] [3:4] -> [5:6]\n"
            "output 0 merges 1\n");
}

TEST(Concat, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal("concat", {f32({2, 3}), f32({2})}, {}),
            "all tensors must have the same number of axes; tensors1 has 1 and tensors0 2");
  EXPECT_EQ(refusal("concat", {f32({2, 3}), f32({2, 4})}, {}),
            "extents must agree on every axis but 0; those of tensors1 differ from those of "
            "tensors0");
  EXPECT_EQ(refusal("concat", {f32({})}, {}), "tensors of rank 0 have no axis to be joined along");
}

}  // namespace
}  // namespace einsummable
