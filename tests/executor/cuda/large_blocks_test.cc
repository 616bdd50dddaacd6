// SPDX-License-Identifier: Apache-2.0
// Blocks with more rows, or longer ones, than the threads of a block have at once.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

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

// Rows that threads keep in registers, and longer ones, which they read again.
TEST(LargeBlocks, OfRowsThatAreKeptAndReadAgain) {
  OperatorBench bench;
  Random random(10);
  for (int64_t length : {8192, 8193, 20000}) {
    add(bench, "softmax", {2, length}, DType::f32, {{"axis", int64_t{1}}}, random);
    add(bench, "rms_norm", {2, length}, DType::f16, {{"eps", 1e-5}}, random,
        {tensor_type(DType::f16, Shape{length})});
  }
  bench.run();
}

// Few rows, which are cut so that a device is busy: several parts a row, the last one shorter.
TEST(LargeBlocks, OfFewLongRows) {
  OperatorBench bench;
  Random random(9);
  for (const Shape& shape : {Shape{20011}, Shape{2, 9001}, Shape{13007, 2}, Shape{3, 5000, 2}}) {
    for (const char* name : {"argmax", "sum", "mean", "any", "logsumexp"}) {
      add(bench, name, shape, DType::f32, {}, random);
      add(bench, name, shape, DType::f16, {{"axis", int64_t{0}}}, random);
    }
    add(bench, "sum", shape, DType::i32, {{"axis", int64_t{0}}}, random);
  }
  bench.run();
}

// A sum of many float32 numbers is near the exact one, which adding one after another is not.
TEST(LargeBlocks, SumsOfManyNumbersAreNear) {
  constexpr int64_t kCount = 3'000'000;
  const auto op = operator_of("sum", {tensor_type(DType::f32, Shape{kCount})}, {});
  const Block in{DType::f32, {kCount}, {1}, 256}, out{DType::f32, {}, {}, 256};
  cuda_twin::BenchBlock read{.block = in, .bytes = {}}, write{.block = out, .bytes = {}};
  std::vector<float> numbers(static_cast<size_t>(kCount), 0.1f);
  float in_turn = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] += static_cast<float>(i % 7) * 0.01f;
    in_turn += numbers[i];
  }
  const double exact = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  read.bytes.resize(numbers.size() * sizeof(float));
  std::memcpy(read.bytes.data(), numbers.data(), read.bytes.size());
  write.bytes.resize(sizeof(float));
  const FunctionSpec cell{.inputs = {box_of(Shape{kCount})}, .outputs = {Box{}}};
  const char complete = 1;
  const cuda_twin::Table table;
  cuda_twin::TaskBench tasks(table.api());
  tasks.add(prepare_kernel({*op, cell, {&in, 1}, {&out, 1}, {&complete, 1}}, {}), {read}, {write});
  tasks.run();
  const double sum = load_element(DType::f32, tasks.writes(0)[0].bytes.data());
  EXPECT_GT(std::abs(in_turn - exact) / exact, 1e-4);
  EXPECT_LT(std::abs(sum - exact) / exact, 2e-7);
}

}  // namespace
}  // namespace einsummable::cuda
