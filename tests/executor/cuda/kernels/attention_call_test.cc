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

// How many calls of the library a cell becomes, whose blocks are dense; 0: a generated kernel.
int64_t library_calls(const Operator& op, const JoinAggSpec& spec, int64_t number) {
  const FunctionSpec cell = spec.cell(number);
  const auto dense = [](DType dtype, const Box& box) {
    const Shape shape = shape_of(box);
    return Block{dtype, shape, row_major_strides(shape), 256};
  };
  std::vector<Block> inputs, outputs;
  std::vector<char> complete;
  for (size_t i = 0; i < cell.inputs.size(); ++i) {
    inputs.push_back(dense(op.inputs()[i].dtype, cell.inputs[i]));
  }
  for (size_t o = 0; o < cell.outputs.size(); ++o) {
    complete.push_back(spec.partials(o) == 1);
    if (complete.back()) {
      outputs.push_back(dense(op.outputs()[o].dtype, cell.outputs[o]));
      continue;
    }
    for (const Component& component : op.partial(o).components) {
      outputs.push_back(dense(component.dtype, component_box(component, cell.outputs[o])));
    }
  }
  const PreparedTask task =
      prepare_kernel({op, cell, inputs, outputs, complete}, {.library_attention = true});
  return std::ranges::count_if(
      task.nodes, [](const NodeCall& node) { return std::holds_alternative<AttentionCall>(node); });
}

std::shared_ptr<const Operator> packed(int64_t heads, std::vector<int64_t> ends,
                                       Attributes attributes) {
  const int64_t rows = ends.back();
  attributes.set("ends", std::move(ends));
  return operator_of("attention", std::vector(3, tensor_type(DType::f16, Shape{heads, rows, 8})),
                     attributes);
}

TEST(AttentionCall, OfPackedSequencesIsACallForEachLength) {
  const auto one_of = [](const Operator& op) {
    const auto shared = std::make_shared<const Signature>(op.signatures()[0]);
    std::vector<Cuts> cuts;
    for (const Index& each : shared->indices) cuts.push_back(uncut(each));
    return library_calls(op, JoinAggSpec(shared, cuts), 0);
  };
  EXPECT_EQ(one_of(*packed(2, {4, 8, 12}, {{"causal", true}})), 1);
  EXPECT_EQ(one_of(*packed(2, {4, 8, 11}, {{"causal", true}})), 2);
  EXPECT_EQ(one_of(*packed(2, {4, 5, 11}, {{"return_lse", true}})), 3);
  std::vector<int64_t> many;
  for (int64_t s = 0; s < 40; ++s) many.push_back((many.empty() ? 0 : many.back()) + 1 + s % 2);
  EXPECT_EQ(one_of(*packed(2, many, {})), 0) << "too many calls";
}

// Cells of every signature, with blocks anywhere in memory; counts those that the library would
// serve if its blocks were dense.
struct Cells {
  OperatorBench bench;
  Random random{21};
  int64_t served = 0, all = 0;

  void add(DType dtype, const Attributes& attributes) {
    const std::vector<TensorType> types = {tensor_type(dtype, Shape{4, 12, 8}),
                                           tensor_type(dtype, Shape{2, 12, 8}),
                                           tensor_type(dtype, Shape{2, 12, 16})};
    const auto op = operator_of("attention", types, attributes);
    std::vector<Array64> inputs;
    for (const TensorType& type : types) inputs.push_back(random_integers(random, type.shape(), 2));
    for (const Signature& signature : op->signatures()) {
      const auto shared = std::make_shared<const Signature>(signature);
      for (int64_t cells : {1, 2, 3}) {
        for_each_spec(shared, cells, random,
                      [&](const JoinAggSpec& spec) { add_cell(*op, spec, inputs); });
      }
    }
  }

  void add_cell(const Operator& op, const JoinAggSpec& spec, const std::vector<Array64>& inputs) {
    const int64_t cell = random_below(random, spec.cells());
    ++all;
    if (library_calls(op, spec, cell) > 0) ++served;
    if (random() % 3) return;
    bench.add(
        op, spec, cell, inputs,
        {.library_attention = bench.table().has_library_attention(), .product_workspace = 1024},
        random);
  }
};

TEST(AttentionCall, OfBlocksOfQueriesAndKeysAgreesWithTheReference) {
  Cells cells;
  for (DType dtype : {DType::f16, DType::bf16}) {
    for (int variant = 0; variant < 4; ++variant) {
      Attributes attributes = {{"causal", variant % 2 == 1}, {"return_lse", variant / 2 == 1}};
      cells.add(dtype, attributes);
      for (const std::vector<int64_t>& ends : {std::vector<int64_t>{6, 12}, {3, 8, 12}}) {
        attributes.set("ends", ends);
        cells.add(dtype, attributes);
      }
    }
  }
  EXPECT_GT(cells.served, cells.all / 2) << "of " << cells.all;
  cells.bench.run();
}

}  // namespace
}  // namespace einsummable::cuda
