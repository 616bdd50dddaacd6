// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

std::string reshape_notation(const Shape& from, const Shape& to) {
  return notation("reshape", {f32(from)}, {{"shape", to}});
}

TEST(Reshape, IsIndexNotation) {
  EXPECT_EQ(reshape_notation({10, 32, 128}, {10, 4096}), "i0 i1 i2 -> i0 (i1 i2)");
  EXPECT_EQ(reshape_notation({10, 4096}, {10, 32, 128}), "i0 (i1 i2) -> i0 i1 i2");
  EXPECT_EQ(reshape_notation({4, 6}, {6, 4}), "2i0 6* -> 3i0 4*");
  EXPECT_EQ(reshape_notation({8, 3}, {2, 12}), "(i0 i1) i2 -> i0 (i1 i2)");
  EXPECT_EQ(reshape_notation({2, 1, 3}, {1, 2, 3, 1}), "i0 1 i1 -> 1 i0 i1 1");
  EXPECT_EQ(reshape_notation({2, 6}, {3, 4}), "2* 6* -> 3* 4*");
  EXPECT_EQ(reshape_notation({0, 5}, {5, 0}), "0* 5* -> 5* 0*");
  EXPECT_EQ(reshape_notation({}, {1, 1}), " -> 1 1");
}

TEST(Reshape, CutsAnInnerIndexOnlyWhereTheOuterIsInUnits) {
  const auto op = operator_of("reshape", {f32({2, 6})}, {{"shape", Integers{12}}});
  const Signature signature = op->signatures()[0];
  EXPECT_EQ(signature.indices[1].within, 0);
  const auto shared = std::make_shared<const Signature>(signature);
  EXPECT_EQ(JoinAggSpec(shared, {{0, 1, 2}, {0, 3, 6}}).cell(1).outputs[0], (Box{{3, 6}}));
  EXPECT_THROW(JoinAggSpec(shared, {{0, 2}, {0, 3, 6}}), InternalError);
}

TEST(Reshape, OfADenseBlockIsAView) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const Sample sample = find_operator("reshape")->sample(random);
    const auto op = make_operator(*find_operator("reshape"), sample.call);
    const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
    for (int64_t cells = 1; cells <= 6; ++cells) {
      for_each_spec(signature, cells, random, [&](const JoinAggSpec& spec) {
        const FunctionSpec cell = spec.cell(cells - 1);
        const Shape block = shape_of(cell.inputs[0]);
        const auto view = op->view(cell, {7, block, row_major_strides(block)});
        ASSERT_TRUE(view.has_value());
        EXPECT_EQ(view->shape, shape_of(cell.outputs[0]));
        EXPECT_EQ(view->offset, 7);
      });
    }
  }
}

TEST(Reshape, ToHeadsIsAViewOfColumnsInTheMidstOfRows) {
  const auto op = operator_of("reshape", {f32({5, 24})}, {{"shape", Integers{5, 6, 4}}});
  const FunctionSpec cell{{{{0, 5}, {8, 16}}}, {{{0, 5}, {2, 4}, {0, 4}}}};
  EXPECT_EQ(op->view(cell, {8, {5, 8}, {24, 1}}), (StridedLayout{8, {5, 2, 4}, {24, 4, 1}}));
  const auto back = operator_of("reshape", {f32({5, 6, 4})}, {{"shape", Integers{5, 24}}});
  const FunctionSpec rows{{{{0, 5}, {2, 4}, {0, 4}}}, {{{0, 5}, {8, 16}}}};
  EXPECT_EQ(back->view(rows, {0, {5, 2, 4}, {8, 4, 1}}), (StridedLayout{0, {5, 8}, {8, 1}}));
  EXPECT_EQ(back->view(rows, {0, {5, 2, 4}, {4, 20, 1}}), std::nullopt);
}

TEST(Reshape, TakesOneMinusOne) {
  const auto op = operator_of("reshape", {f32({6, 4})}, {{"shape", Integers{3, -1}}});
  EXPECT_EQ(op->outputs()[0], f32({3, 8}));
  EXPECT_EQ(refusal("reshape", {f32({6, 4})}, {{"shape", Integers{-1, -1}}}),
            "at most one extent of the shape may be -1");
  EXPECT_EQ(
      refusal("reshape", {f32({6, 4})}, {{"shape", Integers{5, -1}}}),
      "-1 stands for no extent: the 24 elements of x must be a multiple of the 5 of the other "
      "extents");
  EXPECT_EQ(refusal("reshape", {f32({0})}, {{"shape", Integers{0, -1}}}),
            "-1 stands for no extent: the 0 elements of x must be a multiple of the 0 of the other "
            "extents");
  EXPECT_EQ(refusal("reshape", {f32({6, 4})}, {{"shape", Integers{5, 5}}}),
            "the shape [5, 5] has 25 elements; it must have the 24 of x");
  EXPECT_EQ(refusal("reshape", {f32({6, 4})}, {{"shape", Integers{-2, -12}}}),
            "an extent is at least 0; the shape is [-2, -12]");
}

}  // namespace
}  // namespace einsummable
