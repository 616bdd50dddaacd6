// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "einsummable/executor/cuda/expression_text.h"
#include "einsummable/executor/cuda/source.h"
#include "tests/support/random_arrays.h"

namespace einsummable::cuda {
namespace {

// The offsets of every element in row-major order.
std::vector<int64_t> walk(const Shape& shape, const std::vector<int64_t>& strides) {
  std::vector<int64_t> out;
  for_each_position(box_of(shape), [&](std::span<const int64_t> at) {
    int64_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
    out.push_back(offset);
  });
  return out;
}

TEST(Text, CollapsedAxesWalkTheSameOffsets) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const Shape shape = random_shape(random, random_below(random, 5));
    std::vector<std::vector<int64_t>> strides;
    for (int block = 0; block < 2; ++block) {
      std::vector<int64_t> dense = row_major_strides(shape);
      for (int64_t& stride : dense) {
        if (random() % 4 == 0) stride = random_below(random, 3) * stride;
      }
      strides.push_back(std::move(dense));
    }
    const Axes axes = collapse(shape, strides);
    EXPECT_LE(axes.extents.size(), shape.size());
    for (size_t block = 0; block < strides.size(); ++block) {
      EXPECT_EQ(walk(axes.extents, axes.strides[block]), walk(shape, strides[block]));
    }
  }
}

TEST(Text, DenseBlocksAreOneAxis) {
  const Axes axes = collapse({8, 1, 4, 5}, {{20, 20, 5, 1}, {20, 7, 5, 1}});
  EXPECT_EQ(axes.extents, (Shape{160}));
  const std::string names[] = {"a", "c"};
  EXPECT_EQ(offsets(axes, "i", names),
            "const int i0 = static_cast<int>(i);\nconst int a = i0;\nconst int c = i0;\n");
}

TEST(Text, OffsetsBeyond32BitsAreLong) {
  const Axes axes = collapse({3, 2}, {{int64_t{1} << 40, 1}});
  const std::string names[] = {"a"};
  EXPECT_EQ(offsets(axes, "i", names),
            "const long long i1 = i % 2, i_1 = i / 2;\nconst long long i0 = i_1;\n"
            "const long long a = i0 * 1099511627776 + i1;\n");
}

TEST(Text, ConstantsAreExact) {
  EXPECT_EQ(constant(DType::f32, 0.1f), "Real<float>(0x1.99999ap-4)");
  EXPECT_EQ(constant(DType::f64, -INFINITY), "Real<double>(-infinity<double>())");
  EXPECT_EQ(constant(DType::bf16, NAN), "Real<float>(not_a_number<float>())");
  EXPECT_EQ(integer_constant(std::numeric_limits<int64_t>::min()),
            "Integer(-9223372036854775807LL - 1)");
}

TEST(Text, ExpressionsAreALineAnInstruction) {
  Expression e;
  const auto gate = e.input(DType::f16), up = e.input(DType::f16);
  e.output(e.apply(FunctionId::multiply, {e.apply(FunctionId::silu, {gate}), up}));
  EXPECT_EQ(expression_text(e, "v", [](int32_t i) { return "x" + std::to_string(i); }),
            "const Value<Half> v0 = x0;\nconst Value<Half> v1 = x1;\n"
            "const Value<Half> v2 = rounded<Half>(function_silu<Value<Half>>(v0, v0, v0, "
            "Real<float>(0x0p+0)));\n"
            "const Value<Half> v3 = rounded<Half>(function_multiply<Value<Half>>(v2, v1, v2, "
            "Real<float>(0x0p+0)));\n");
}

TEST(Text, AKernelIsNamedByItsContent) {
  const KernelSource a{.parameters = "ES_WRITE(float) out0", .body = "x"};
  KernelSource b = a;
  EXPECT_EQ(kernel_name(a), kernel_name(b));
  b.threads = 128;
  EXPECT_NE(kernel_name(a), kernel_name(b));
  EXPECT_NE(unit(a).find("ES_KERNEL(" + kernel_name(a) + ", 256, ES_WRITE(float) out0) {\nx}\n"),
            std::string::npos);
}

TEST(Text, GroupsAreOfElementsSideBySideThatAreAligned) {
  const auto group = [](DType dtype, const Shape& shape, const std::vector<int64_t>& strides,
                        int64_t alignment) {
    const Block dense{dtype, shape, row_major_strides(shape), 256};
    const Block blocks[] = {{dtype, shape, strides, alignment}, dense};
    return group_of(collapse(shape, {strides, dense.strides}), blocks);
  };
  EXPECT_EQ(group(DType::f16, {4, 16}, {16, 1}, 256), 8);
  EXPECT_EQ(group(DType::f32, {4, 16}, {16, 1}, 256), 4);
  EXPECT_EQ(group(DType::f64, {4, 16}, {16, 1}, 256), 2);
  EXPECT_EQ(group(DType::f16, {4, 16}, {16, 1}, 8), 4) << "as far as it is aligned";
  EXPECT_EQ(group(DType::f16, {4, 16}, {18, 1}, 256), 2) << "every row is";
  EXPECT_EQ(group(DType::f16, {4, 16}, {0, 1}, 256), 8) << "one row for all";
  EXPECT_EQ(group(DType::f16, {4, 16}, {1, 0}, 2), 8) << "one element for a group";
  EXPECT_EQ(group(DType::f16, {4, 16}, {1, 4}, 256), 1) << "apart";
  EXPECT_EQ(group(DType::f16, {4, 3}, {4, 1}, 256), 1) << "rows that are no groups";
  EXPECT_EQ(group(DType::f16, {}, {}, 256), 1);
}

}  // namespace
}  // namespace einsummable::cuda
