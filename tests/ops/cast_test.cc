// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(Cast, RoundsTruncatesAndSaturates) {
  const auto cast = [](DType to, double x) {
    const auto op = operator_of("cast", {tensor_type(DType::f64, Shape{1})}, {{"dtype", to}});
    return whole_reference(*op, {array({1}, {x})})[0].values()[0];
  };
  EXPECT_EQ(cast(DType::i32, -2.9), -2);
  EXPECT_EQ(cast(DType::i32, 1e20), 2147483647);
  EXPECT_EQ(cast(DType::i32, NAN), 0);
  EXPECT_EQ(cast(DType::boolean, 0.1), 1);
  EXPECT_EQ(cast(DType::f16, 2049), 2048);
  EXPECT_EQ(cast(DType::f16, 70000), INFINITY);
  EXPECT_EQ(cast(DType::bf16, 257), 256);
}

}  // namespace
}  // namespace einsummable
