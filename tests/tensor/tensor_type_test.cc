// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/tensor_type.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

std::string refusal(const Shape& shape) {
  try {
    tensor_type(DType::f32, shape);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "";
}

TEST(TensorType, KnowsShapeBytesAndProjections) {
  const TensorType x = tensor_type(DType::f16, Shape{3, 4});
  EXPECT_EQ(x.bytes(), 24);
  EXPECT_EQ(x.extent(-1), 4);
  EXPECT_EQ(x.extent(0), 3);
  EXPECT_EQ(describe(x), "float16[3, 4]");
  EXPECT_EQ(text(x), "f16[3, 4]");
  EXPECT_TRUE((TensorType{DType::f16, {{1, 3}, {0, 4}}}).is_projection_of(x));
  EXPECT_FALSE((TensorType{DType::f32, {{1, 3}, {0, 4}}}).is_projection_of(x));
  EXPECT_FALSE((TensorType{DType::f16, {{1, 3}}}).is_projection_of(x));
  EXPECT_FALSE((TensorType{DType::f16, {{1, 4}, {0, 4}}}).is_projection_of(x));
}

TEST(TensorType, RefusesWhatNoTensorHas) {
  EXPECT_EQ(refusal({2, 0}), "");
  EXPECT_EQ(refusal({2, -1}), "an extent is at least 0; the shape is [2, -1]");
  const int64_t huge = int64_t{1} << 31;
  EXPECT_EQ(refusal({huge, huge}),
            "the bytes of float32[2147483648, 2147483648] do not fit in 64 bits");
  EXPECT_EQ(refusal({huge, huge, 0}),
            "the bytes of float32[2147483648, 2147483648, 0] do not fit in 64 bits");
  EXPECT_EQ(refusal(Shape(33, 1)), "a tensor has at most 32 axes; this one has 33");
}

}  // namespace
}  // namespace einsummable
