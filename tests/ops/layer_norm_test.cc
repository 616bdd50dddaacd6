// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(LayerNorm, CentresAndScalesRows) {
  const auto op = operator_of("layer_norm", {f32({2, 2}), f32({2}), f32({2})}, {{"eps", 1.0}});
  const Array64 y = whole_reference(
      *op, {array({2, 2}, {1, 5, 7, 7}), array({2}, {1, 10}), array({2}, {0.5, 0.25})})[0];
  EXPECT_NEAR(y.at({0, 0}), -2 / std::sqrt(5.0) + 0.5, 1e-15);
  EXPECT_NEAR(y.at({0, 1}), 20 / std::sqrt(5.0) + 0.25, 1e-14);
  EXPECT_EQ(y.at({1, 0}), 0.5);
  EXPECT_EQ(y.at({1, 1}), 0.25);
}

TEST(LayerNorm, SaysWhatWouldBeLegal) {
  const Attributes eps = {{"eps", 1e-5}};
  EXPECT_EQ(refusal("layer_norm", {f32({3, 8}), f32({8}), f32({7})}, eps),
            "bias must be [8], the last extent of x");
  EXPECT_EQ(refusal("layer_norm", {f32({3, 8}), f32({1, 8}), f32({8})}, eps),
            "weight must be [8], the last extent of x");
  EXPECT_EQ(refusal("layer_norm", {f32({}), f32({1}), f32({1})}, eps), "x needs at least one axis");
  EXPECT_EQ(refusal("layer_norm", {f32({3}), f32({3}), f32({3})}, {{"eps", std::nan("")}}),
            "eps must be finite and not negative");
  EXPECT_EQ(refusal("layer_norm", {f32({3}), f32({3})}, eps), "takes 3 inputs, not 2");
}

}  // namespace
}  // namespace einsummable
