// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

TEST(Matmul, SignaturesFollowTheAxes) {
  const auto signature = [](const Shape& x, const Shape& w, Attributes attributes = {}) {
    return text(operator_of("matmul", {f32(x), f32(w)}, std::move(attributes))->signatures()[0]);
  };
  EXPECT_EQ(signature({3, 4}, {4, 5}), "i j, j k -> i k");
  EXPECT_EQ(signature({3, 4}, {5, 4}, {{"transpose_w", true}}), "i j, k j -> i k");
  EXPECT_EQ(signature({4, 3}, {4, 5}, {{"transpose_x", true}}), "j i, j k -> i k");
  EXPECT_EQ(signature({2, 3, 4}, {4, 5}), "batch0 i j, j k -> batch0 i k");
  EXPECT_EQ(signature({2, 1, 3, 4}, {6, 4, 5}), "batch0 1 i j, batch1 j k -> batch0 batch1 i k");
  EXPECT_EQ(signature({4}, {2, 4, 5}), "j, batch0 j k -> batch0 k");
  EXPECT_EQ(signature({3, 4}, {4}), "i j, j -> i");
  EXPECT_EQ(signature({4}, {4}), "j, j -> ");
}

TEST(Matmul, IsTheEinsumOfItsNotation) {
  Random random(1);
  for (int round = 0; round < rounds(200, 2000); ++round) {
    const Sample sample = find_operator("matmul")->sample(random);
    const auto op = make_operator(*find_operator("matmul"), sample.call);
    std::vector<Array64> inputs;
    for (const TensorType& type : op->inputs()) {
      inputs.push_back(random_integers(random, type.shape(), 4));
    }
    const bool vector_x = op->inputs()[0].rank() == 1, vector_w = op->inputs()[1].rank() == 1;
    const std::string x = vector_x                                  ? "j"
                          : op->attributes().boolean("transpose_x") ? "...ji"
                                                                    : "...ij";
    const std::string w = vector_w                                  ? "j"
                          : op->attributes().boolean("transpose_w") ? "...kj"
                                                                    : "...jk";
    const std::string spec = x + "," + w + "->..." + (vector_x ? "" : "i") + (vector_w ? "" : "k");
    const auto einsum = operator_of("einsum", op->inputs(), {{"spec", spec}});
    EXPECT_EQ(op->outputs(), einsum->outputs());
    EXPECT_EQ(whole_reference(*op, inputs)[0].values(),
              whole_reference(*einsum, inputs)[0].values());
  }
}

TEST(Matmul, SaysWhatWouldBeLegal) {
  const auto shapes = [](const Shape& x, const Shape& w, Attributes attributes = {}) {
    return refusal("matmul", {f32(x), f32(w)}, std::move(attributes));
  };
  EXPECT_EQ(shapes({3, 4}, {5, 6}), "the last extent of x (4) must equal the first of w (5)");
  EXPECT_EQ(shapes({3, 4}, {5, 6}, {{"transpose_w", true}}),
            "the last extent of x (4) must equal the last of w (6)");
  EXPECT_EQ(shapes({2, 3, 4}, {2, 5, 6}, {{"transpose_x", true}}),
            "the next to last extent of x (3) must equal the next to last of w (5)");
  EXPECT_EQ(shapes({3}, {4}), "the only extent of x (3) must equal the only of w (4)");
  EXPECT_EQ(shapes({}, {4}), "both need at least one axis");
  EXPECT_EQ(shapes({4}, {4, 5}, {{"transpose_x", true}}),
            "x has one axis and cannot be transposed");
  EXPECT_EQ(shapes({4, 5}, {5}, {{"transpose_w", true}}),
            "w has one axis and cannot be transposed");
  EXPECT_EQ(shapes({2, 3, 4}, {3, 4, 5}),
            "the axes of x and w before the last two, [2] and [3], must broadcast");
}

}  // namespace
}  // namespace einsummable
