// SPDX-License-Identifier: Apache-2.0
// Every operator of the registry has a kernel, and its blocks are the reference's: random samples
// and specs, partial and finished blocks, dense, strided and unaligned operands, on the host twin.
#include "einsummable/executor/cuda/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "einsummable/ops/registry.h"
#include "tests/support/cuda_twin/task_bench.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::BenchBlock;
using cuda_twin::TaskBench;
using cuda_twin::Twin;

// Bytes around and between elements, which nobody may touch: NaN, or -1.
constexpr unsigned char kAround = 0xff;

// A block with random padding between rows, a random order of axes, and a random start.
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

// One cell that was put on a bench, and the blocks it must give.
struct Expected {
  std::string what;
  DType computed = DType::f64;
  std::vector<Array64> values;
};

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

struct Bench {
  Twin twin;
  TaskBench tasks{twin};
  std::vector<Expected> expected;

  void add(const Operator& op, const JoinAggSpec& spec, int64_t cell,
           const std::vector<Array64>& inputs, const KernelOptions& options, Random& random);
  void run();
};

void Bench::add(const Operator& op, const JoinAggSpec& spec, int64_t number,
                const std::vector<Array64>& inputs, const KernelOptions& options, Random& random) {
  const FunctionSpec cell = spec.cell(number);
  std::vector<BenchBlock> reads, writes;
  std::vector<Array64> stored;
  for (size_t i = 0; i < inputs.size(); ++i) {
    reads.push_back(random_block(cell.inputs[i], op.inputs()[i].dtype, random));
    fill(reads.back(), inputs[i].project(cell.inputs[i]));
  }
  Expected& expect = expected.emplace_back();
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
  tasks.add(prepare_kernel({op, cell, in, out, complete}, options), std::move(reads),
            std::move(writes));
}

void Bench::run() {
  tasks.run();
  for (size_t t = 0; t < tasks.size(); ++t) {
    EXPECT_EQ(tasks.found(t).found, 0) << expected[t].what;
    for (size_t o = 0; o < expected[t].values.size(); ++o) {
      const std::string fault =
          difference(tasks.writes(t)[o], expected[t].values[o], expected[t].computed);
      EXPECT_EQ(fault, "") << "output " << o << " of " << expected[t].what;
    }
    if (testing::Test::HasFailure()) return;
  }
}

// The sample with its floats in another dtype, if the operator takes that.
std::shared_ptr<const Operator> operator_in(const OperatorInfo& info, OperatorCall call,
                                            DType dtype) {
  const OperatorCall given = call;
  for (TensorType& type : call.inputs) {
    if (is_float(type.dtype)) type.dtype = dtype;
  }
  try {
    return make_operator(info, call);
  } catch (const GraphError&) {
    return make_operator(info, given);
  }
}

// Values as memory holds them.
std::vector<Array64> stored(const Operator& op, std::vector<Array64> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    for (double& value : arrays[i].values()) value = rounded(value, op.inputs()[i].dtype);
  }
  return arrays;
}

class Kernels : public testing::TestWithParam<std::string_view> {};

TEST_P(Kernels, AgreeWithTheReference) {
  const OperatorInfo& info = *find_operator(GetParam());
  Bench bench;
  Random random(11);
  for (int round = 0; round < rounds(10, 200); ++round) {
    const Sample sample = info.sample(random);
    constexpr DType kFloats[] = {DType::f32, DType::f16, DType::f64, DType::bf16, DType::f32};
    const auto op = operator_in(info, sample.call, kFloats[round % 5]);
    const Values kind = round % 2 ? Values::integers : Values::reals;
    const auto inputs = stored(*op, random_arrays(*op, sample.domains, kind, random));
    for (const Signature& signature : op->signatures()) {
      const auto shared = std::make_shared<const Signature>(signature);
      int64_t left = 2;
      for (int64_t cells : {1, 2, 6}) {
        for_each_spec(shared, cells, random, [&](const JoinAggSpec& spec) {
          if (left-- <= 0 && random() % 8) return;
          bench.add(*op, spec, random_below(random, spec.cells()), inputs,
                    {.library_attention = round % 3 == 0, .product_workspace = 1024}, random);
        });
      }
    }
  }
  bench.run();
  printf("%-14s %zu tasks\n", std::string(info.name).c_str(), bench.tasks.size());
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const OperatorInfo& info : operators()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Registry, Kernels, testing::ValuesIn(names()),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace einsummable::cuda
