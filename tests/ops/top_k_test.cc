// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Reals = std::vector<double>;

TEST(TopK, RanksNaNFirstAndTiesByIndex) {
  const auto op = operator_of("top_k", {f32({6})}, {{"k", int64_t{4}}});
  const auto y = whole_reference(*op, {array({6}, {1, 3, -INFINITY, 3, NAN, 2})});
  EXPECT_TRUE(std::isnan(y[0].values()[0]));
  EXPECT_EQ(y[1].values(), (Reals{4, 1, 3, 5}));
  EXPECT_EQ(op->outputs()[1], tensor_type(DType::i64, Shape{4}));
}

TEST(TopK, RefusesWhatDoesNotFit) {
  for (int64_t k : {-1, 4}) {
    EXPECT_EQ(refusal("top_k", {f32({2, 3})}, {{"k", k}}),
              "k must be at least 0 and at most 3, the extent of axis 1 of x; it is " +
                  std::to_string(k));
  }
  EXPECT_EQ(refusal("top_k", {f32({})}, {{"k", int64_t{0}}}), "x must have an axis");
}

}  // namespace
}  // namespace einsummable
