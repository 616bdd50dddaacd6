// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

TEST(SegmentMean, IsCutWhereSegmentsEnd) {
  const auto op = operator_of("segment_mean", {f32({7, 2})}, {{"ends", Integers{1, 4, 7}}});
  EXPECT_EQ(op->outputs()[0], f32({3, 2}));
  const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
  EXPECT_EQ(text(*signature), "i0 i1 -> #i0 i1");
  EXPECT_EQ(text(JoinAggSpec(signature, {{0, 4, 7}, {0, 2}})),
            "cell 0  [0:4, 0:2] -> [0:2, 0:2]\n"
            "cell 1  [4:7, 0:2] -> [2:3, 0:2]\n"
            "output 0 merges 1\n");
  EXPECT_THROW(JoinAggSpec(signature, {{0, 3, 7}, {0, 2}}), InternalError);
}

TEST(SegmentMean, RefusesWhatDoesNotFit) {
  const std::string ends =
      "ends must be positive and strictly increasing, the last 4, the extent of axis 0 of x";
  for (const Integers& wrong : {Integers{}, {0, 4}, {2, 2, 4}, {3}, {2, 5}, {-1, 4}}) {
    EXPECT_EQ(refusal("segment_mean", {f32({4})}, {{"ends", wrong}}), ends);
  }
  EXPECT_EQ(refusal("segment_mean", {i32({4})}, {{"ends", Integers{4}}}),
            "means are floats; x must be one");
  EXPECT_EQ(refusal("segment_mean", {f32({})}, {{"ends", Integers{}}}), "x must have an axis");
}

}  // namespace
}  // namespace einsummable
