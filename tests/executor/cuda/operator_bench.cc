// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/cuda/operator_bench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/operators.h"

namespace einsummable::cuda {

using cuda_twin::BenchBlock;

namespace {

// Bytes around and between elements, which nobody may touch: NaN, or -1.
constexpr unsigned char kAround = 0xff;

}  // namespace

BenchBlock random_block(const Box& box, DType dtype, Random& random) {
  BenchBlock out;
  out.block = {.dtype = dtype, .shape = shape_of(box), .strides = {}, .alignment = 256};
  std::vector<size_t> order(box.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (random() % 2) std::ranges::shuffle(order, random);
  out.block.strides.resize(box.size());
  int64_t stride = 1;
  const bool dense = random() % 2;
  for (size_t i = order.size(); i-- > 0;) {
    out.block.strides[order[i]] = stride;
    stride *=
        std::max<int64_t>(out.block.shape[order[i]], 1) + (dense ? 0 : random_below(random, 2));
  }
  if (random() % 4 == 0) out.start = out.block.alignment = size_of(dtype);
  const int64_t bytes = out.start + std::max<int64_t>(stride, 1) * size_of(dtype);
  out.bytes.assign(static_cast<size_t>(bytes), kAround);
  return out;
}

void fill(BenchBlock& block, const Array64& values) {
  size_t next = 0;
  for_each_position(box_of(block.block.shape), [&](std::span<const int64_t> at) {
    store_element(block.block.dtype, block.at(at), values.values()[next++]);
  });
}

namespace {

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 2e-3;
    case DType::bf16:
      return 2e-2;
    case DType::f32:
      return 3e-5;
    case DType::f64:
      return 1e-11;
    default:
      return 0;
  }
}

std::string difference(const BenchBlock& got, const Array64& wanted, DType computed) {
  double scale = 1;
  for (double value : wanted.values()) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  const DType dtype = got.block.dtype;
  const double allowed = std::max(tolerance(dtype), is_float(dtype) ? tolerance(computed) : 0);
  std::vector<unsigned char> own(got.bytes.size(), 0);
  std::string fault;
  size_t next = 0;
  for_each_position(box_of(got.block.shape), [&](std::span<const int64_t> at) {
    const double want = rounded(wanted.values()[next++], dtype);
    const double value = load_element(dtype, got.at(at));
    std::fill_n(own.begin() + (got.at(at) - got.bytes.data()), size_of(dtype), 1);
    const bool same = value == want || (std::isnan(value) && std::isnan(want)) ||
                      std::abs(value - want) <= allowed * scale;
    if (same || !fault.empty()) return;
    fault = "element " + std::to_string(next - 1) + " is " + std::to_string(value) + ", not " +
            std::to_string(want);
  });
  for (size_t b = 0; b < own.size(); ++b) {
    if (!own[b] && got.bytes[b] != kAround && fault.empty()) fault = "it writes between elements";
  }
  return fault;
}

}  // namespace

void OperatorBench::add(const Operator& op, const JoinAggSpec& spec, int64_t number,
                        const std::vector<Array64>& inputs, const KernelOptions& options,
                        Random& random) {
  const FunctionSpec cell = spec.cell(number);
  std::vector<BenchBlock> reads, writes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    reads.push_back(random_block(cell.inputs[i], op.inputs()[i].dtype, random));
    fill(reads.back(), inputs[i].project(cell.inputs[i]));
  }
  Expected expect;
  expect.what = op.name() + "(" + einsummable::text(op.attributes()) + ")\n" +
                einsummable::text(spec) + "cell " + std::to_string(number);
  if (!op.inputs().empty()) expect.computed = op.inputs()[0].dtype;
  std::vector<char> complete;
  std::vector<Array64> components = partials_of(op, cell, inputs);
  auto next = components.begin();
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    const PartialType partial = op.partial(o);
    const auto end = next + static_cast<int64_t>(partial.components.size());
    complete.push_back(spec.partials(o) == 1);
    if (complete.back()) {
      writes.push_back(random_block(cell.outputs[o], op.outputs()[o].dtype, random));
      expect.values.push_back(finalise(partial, std::vector<Array64>(next, end)));
    } else {
      for (const Component& component : partial.components) {
        writes.push_back(
            random_block(component_box(component, cell.outputs[o]), component.dtype, random));
      }
      expect.values.insert(expect.values.end(), next, end);
    }
    next = end;
  }
  std::vector<Block> in, out;
  for (const BenchBlock& block : reads) in.push_back(block.block);
  for (const BenchBlock& block : writes) out.push_back(block.block);
  add(prepare_kernel({op, cell, in, out, complete}, options), std::move(reads), std::move(writes),
      std::move(expect));
}

void OperatorBench::add(PreparedTask task, std::vector<BenchBlock> reads,
                        std::vector<BenchBlock> writes, Expected expected) {
  tasks_.add(std::move(task), std::move(reads), std::move(writes));
  expected_.push_back(std::move(expected));
}

void OperatorBench::run() {
  tasks_.run();
  for (size_t t = 0; t < tasks_.size(); ++t) {
    if (tasks_.refused(t)) continue;
    EXPECT_EQ(tasks_.found(t).found, 0) << expected_[t].what;
    for (size_t o = 0; o < expected_[t].values.size(); ++o) {
      const std::string fault =
          difference(tasks_.writes(t)[o], expected_[t].values[o], expected_[t].computed);
      EXPECT_EQ(fault, "") << "output " << o << " of " << expected_[t].what;
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace einsummable::cuda
