// SPDX-License-Identifier: Apache-2.0
// Attention where the library may serve: it does without a mask, and a mask may have any rank.
#include "einsummable/executor/cuda/kernels/attention_call.h"

#include <gtest/gtest.h>

#include "einsummable/ops/registry.h"
#include "tests/executor/cuda/operator_bench.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"

namespace einsummable::cuda {
namespace {

void add(OperatorBench& bench, DType dtype, const std::vector<Shape>& masks, Random& random) {
  std::vector<TensorType> types = {tensor_type(dtype, Shape{2, 4, 3, 8}),
                                   tensor_type(dtype, Shape{2, 2, 5, 8}),
                                   tensor_type(dtype, Shape{2, 2, 5, 8})};
  for (const Shape& mask : masks) types.push_back(tensor_type(dtype, mask));
  const auto op = operator_of("attention", types, {{"causal", true}});
  std::vector<Array64> inputs;
  for (const TensorType& type : types) inputs.push_back(random_integers(random, type.shape(), 2));
  const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
  for_each_spec(signature, 1, random, [&](const JoinAggSpec& spec) {
    bench.add(*op, spec, 0, inputs, {.library_attention = true, .product_workspace = 1024}, random);
  });
}

TEST(AttentionCall, TakesMasksOfAnyRank) {
  OperatorBench bench;
  Random random(9);
  const std::vector<std::vector<Shape>> masks = {{},          {{}},           {{5}},
                                                 {{3, 5}},    {{4, 3, 5}},    {{2, 4, 3, 5}},
                                                 {{1, 3, 5}}, {{2, 1, 1, 5}}, {{1, 1}}};
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    for (const auto& mask : masks) add(bench, dtype, mask, random);
  }
  bench.run();
  EXPECT_GE(bench.size(), 3 * masks.size());
}

// Whether attention of two heads of 3 rows of 8 goes to the library, with the first operand as
// given.
bool is_of_library(const Block& q) {
  const Block dense{
      .dtype = DType::f16, .shape = {2, 3, 8}, .strides = {24, 8, 1}, .alignment = 256};
  const auto op = operator_of("attention", std::vector(3, tensor_type(DType::f16, dense.shape)));
  const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
  const std::vector<Block> inputs = {q, dense, dense};
  const std::vector<char> complete = {1};
  Random random(1);
  bool found = false;
  for_each_spec(signature, 1, random, [&](const JoinAggSpec& spec) {
    const FunctionSpec cell = spec.cell(0);
    const PreparedTask task =
        prepare_kernel({*op, cell, inputs, {&dense, 1}, complete}, {.library_attention = true});
    found = std::holds_alternative<cuda::AttentionCall>(task.nodes.at(0));
  });
  return found;
}

TEST(AttentionCall, LeavesRowsThatAreNotAlignedToAKernel) {
  const Block q{.dtype = DType::f16, .shape = {2, 3, 8}, .strides = {24, 8, 1}, .alignment = 16};
  EXPECT_TRUE(is_of_library(q));
  Block apart = q, odd_rows = q, odd_heads = q, odd = q, one_row_for_all = q;
  apart.strides = {64, 16, 1};
  odd_rows.strides = {32, 9, 1};
  odd_heads.strides = {25, 8, 1};
  odd.alignment = 2;
  one_row_for_all.strides = {24, 0, 1};
  EXPECT_TRUE(is_of_library(apart));
  for (const Block& block : {odd_rows, odd_heads, odd, one_row_for_all}) {
    EXPECT_FALSE(is_of_library(block));
  }
}

}  // namespace
}  // namespace einsummable::cuda
