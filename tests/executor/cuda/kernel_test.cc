// SPDX-License-Identifier: Apache-2.0
// Every operator of the registry has a kernel, and its blocks are the reference's: random samples
// and specs, partial and finished blocks, dense, strided and unaligned operands, on the host twin
// or a GPU.
#include "einsummable/executor/cuda/kernel.h"

#include <gtest/gtest.h>

#include "einsummable/ops/registry.h"
#include "tests/executor/cuda/operator_bench.h"
#include "tests/support/every_spec.h"
#include "tests/support/random_arrays.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

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
  OperatorBench bench;
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
                    {.library_attention = round % 3 == 0 && bench.table().has_library_attention(),
                     .bfloat16_products = round % 10 == 8,
                     .product_workspace = 1024},
                    random);
        });
      }
    }
  }
  bench.run();
  printf("%-14s %zu tasks\n", std::string(info.name).c_str(), bench.size());
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
