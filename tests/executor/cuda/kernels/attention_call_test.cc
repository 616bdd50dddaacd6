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

}  // namespace
}  // namespace einsummable::cuda
