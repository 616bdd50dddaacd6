// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Reals = std::vector<double>;

TEST(Cumsum, AddsUpAlongItsAxis) {
  const Array64 x = array({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto rows = operator_of("cumsum", {f32({2, 3})}, {{"axis", int64_t{-1}}});
  EXPECT_EQ(whole_reference(*rows, {x})[0].values(), (Reals{1, 3, 6, 10, 30, 60}));
  const auto columns = operator_of("cumsum", {f32({2, 3})}, {{"axis", int64_t{0}}});
  EXPECT_EQ(whole_reference(*columns, {x})[0].values(), (Reals{1, 2, 3, 11, 22, 33}));
  EXPECT_EQ(operator_of("cumsum", {i32({4})}, {{"axis", int64_t{0}}})->outputs()[0].dtype,
            DType::i64);
}

TEST(Cumsum, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal("cumsum", {f32({})}, {{"axis", int64_t{0}}}), "x needs at least one axis");
  EXPECT_EQ(refusal("cumsum", {f32({2})}, {{"axis", int64_t{1}}}),
            "axis 1 must be at least -1 and less than 1");
  EXPECT_EQ(refusal("cumsum", {f32({2})}), "needs the attribute 'axis'");
}

}  // namespace
}  // namespace einsummable
