// SPDX-License-Identifier: Apache-2.0
// Blocks with more rows, or longer ones, than the threads of a block have at once.
#include <gtest/gtest.h>

#include "einsummable/ops/registry.h"
#include "tests/executor/cuda/operator_bench.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"

namespace einsummable::cuda {
namespace {

// The operator on one cell, and on one of a few.
void add(OperatorBench& bench, std::string_view name, const Shape& shape, DType dtype,
         const Attributes& attributes, Random& random, std::vector<TensorType> more = {}) {
  std::vector<TensorType> types = {tensor_type(dtype, shape)};
  types.insert(types.end(), more.begin(), more.end());
  const auto op = operator_of(name, types, attributes);
  std::vector<Array64> inputs;
  for (const TensorType& type : types) inputs.push_back(random_integers(random, type.shape(), 4));
  const auto signature = std::make_shared<const Signature>(op->signatures()[0]);
  for (int64_t cells : {1, 4}) {
    int64_t left = 2;
    for_each_spec(signature, cells, random, [&](const JoinAggSpec& spec) {
      if (left-- > 0) bench.add(*op, spec, random_below(random, spec.cells()), inputs, {}, random);
    });
  }
}

const std::vector<Shape> kShapes = {{3, 5000}, {700, 2}, {1, 257}, {2, 300, 40}};

TEST(LargeBlocks, AlongAnAxis) {
  OperatorBench bench;
  Random random(7);
  for (const Shape& shape : kShapes) {
    for (int64_t axis = 0; axis < std::ssize(shape); ++axis) {
      const int64_t extent = shape[static_cast<size_t>(axis)];
      for (DType dtype : {DType::f32, DType::f16}) {
        add(bench, "cumsum", shape, dtype, {{"axis", axis}}, random);
        add(bench, "argmax", shape, dtype, {{"axis", axis}}, random);
        add(bench, "top_k", shape, dtype, {{"axis", axis}, {"k", std::min<int64_t>(extent, 7)}},
            random);
        std::vector<int64_t> ends = {extent};
        if (extent > 3) ends = {1, extent / 2, extent};
        add(bench, "segment_mean", shape, dtype, {{"axis", axis}, {"ends", ends}}, random);
      }
    }
  }
  bench.run();
}

TEST(LargeBlocks, OfWholeReductions) {
  OperatorBench bench;
  Random random(8);
  for (const Shape& shape : kShapes) {
    for (const char* name : {"argmax", "sum", "max", "mean", "logsumexp"}) {
      add(bench, name, shape, DType::f32, {}, random);
    }
    for (const char* name : {"softmax", "log_softmax"}) {
      for (int64_t axis = 0; axis < std::ssize(shape); ++axis) {
        add(bench, name, shape, DType::f32, {{"axis", axis}}, random);
      }
    }
  }
  bench.run();
}

}  // namespace
}  // namespace einsummable::cuda
