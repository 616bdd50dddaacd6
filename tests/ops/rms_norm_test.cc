// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(RmsNorm, DividesRowsByTheirRootMeanSquare) {
  const auto op = operator_of("rms_norm", {f32({2, 2}), f32({2})}, {{"eps", 0.0}});
  const Array64 y = whole_reference(*op, {array({2, 2}, {3, 4, 1, 1}), array({2}, {1, 10})})[0];
  EXPECT_NEAR(y.at({0, 0}), 3 / std::sqrt(12.5), 1e-15);
  EXPECT_NEAR(y.at({0, 1}), 40 / std::sqrt(12.5), 1e-15);
  EXPECT_EQ(y.at({1, 1}), 10);
}

TEST(RmsNorm, CutsRowsOnly) {
  const auto op = operator_of("rms_norm", {f32({3, 4, 8}), f32({8})}, {{"eps", 1e-5}});
  EXPECT_EQ(text(op->signatures()[0]), "batch0 batch1 d*, d* -> batch0 batch1 d*");
}

TEST(RmsNorm, SaysWhatWouldBeLegal) {
  EXPECT_EQ(refusal("rms_norm", {f32({3, 8}), f32({7})}, {{"eps", 1e-5}}),
            "weight must be [8], the last extent of x");
  EXPECT_EQ(refusal("rms_norm", {f32({}), f32({1})}, {{"eps", 1e-5}}), "x needs at least one axis");
  EXPECT_EQ(refusal("rms_norm", {f32({8}), f32({8})}, {{"eps", -1.0}}),
            "eps must be finite and not negative");
  EXPECT_EQ(refusal("rms_norm", {f32({8}), f32({8})}), "needs the attribute 'eps'");
}

}  // namespace
}  // namespace einsummable
