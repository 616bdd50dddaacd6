// SPDX-License-Identifier: Apache-2.0
// Whatever kernel a call gets, its blocks are the reference's: every operator of the registry,
// random samples and specs, partial and finished blocks, dense and strided operands.
#include "einsummable/executor/cpu/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/ops/registry.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"
#include "tests/support/plans.h"
#include "tests/support/random_arrays.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

// A block in memory with random padding between rows and a random order of axes.
struct Block {
  std::vector<std::byte> bytes;
  Shape shape;
  std::vector<int64_t> strides;
  DType dtype = DType::f32;

  Block(const Box& box, DType of, Random& random) : shape(shape_of(box)), dtype(of) {
    std::vector<size_t> order(shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (random() % 2) std::ranges::shuffle(order, random);
    strides.resize(shape.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = stride;
      stride *= std::max<int64_t>(shape[order[i]], 1) + random_below(random, 2);
    }
    bytes.resize(static_cast<size_t>(std::max<int64_t>(stride, 1) * size_of(dtype)));
  }

  StridedView view() { return {bytes.data(), dtype, shape, strides}; }
};

std::vector<StridedView> views(std::vector<Block>& blocks) {
  std::vector<StridedView> out;
  for (Block& block : blocks) out.push_back(block.view());
  return out;
}

std::vector<double> values(const StridedView& view) {
  std::vector<double> out;
  for_each_position(box_of(view.shape), [&](std::span<const int64_t> x) {
    int64_t offset = 0;
    for (size_t i = 0; i < x.size(); ++i) offset += x[i] * view.strides[i];
    out.push_back(load_element(view.dtype, view.data + offset * size_of(view.dtype)));
  });
  return out;
}

void run(const PreparedKernel& kernel) {
  std::vector<std::byte> memory(static_cast<size_t>(kernel.workspace) + 64);
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  kernel.run({memory.data() + (64 - address % 64) % 64, static_cast<size_t>(kernel.workspace)});
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

// The first element where a kernel's outputs differ from the reference's by more than rounding.
std::string difference(const KernelCall& fast, const KernelCall& reference, DType computed) {
  for (size_t o = 0; o < fast.outputs.size(); ++o) {
    const std::vector<double> got = values(fast.outputs[o]), wanted = values(reference.outputs[o]);
    double scale = 1;
    for (double value : wanted) {
      if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    }
    const DType dtype = fast.outputs[o].dtype;
    const double allowed = std::max(tolerance(dtype), is_float(dtype) ? tolerance(computed) : 0);
    for (size_t i = 0; i < got.size(); ++i) {
      const bool same = got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i])) ||
                        std::abs(got[i] - wanted[i]) <= allowed * scale;
      if (!same) {
        return "output " + std::to_string(o) + " element " + std::to_string(i) + " is " +
               std::to_string(got[i]) + ", not " + std::to_string(wanted[i]);
      }
    }
  }
  return "";
}

struct Counts {
  int64_t fast = 0, reference = 0;
};

void check_cell(const Operator& op, const JoinAggSpec& spec, int64_t cell,
                const std::vector<Array64>& inputs, Random& random, Counts& counts) {
  const FunctionSpec function = spec.cell(cell);
  std::vector<Block> in, out, expected;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.emplace_back(function.inputs[i], op.inputs()[i].dtype, random);
    Array64 block = inputs[i].project(function.inputs[i]);
    const std::vector<int64_t> strides = row_major_strides(in.back().shape);
    copy_elements(
        {reinterpret_cast<std::byte*>(block.values().data()), DType::f64, in.back().shape, strides},
        in.back().view());
  }
  std::vector<char> complete;
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    complete.push_back(spec.partials(o) == 1);
    const PartialType partial = op.partial(o);
    for (size_t c = 0; c < (complete.back() ? 1 : partial.components.size()); ++c) {
      const Box box = complete.back() ? function.outputs[o]
                                      : component_box(partial.components[c], function.outputs[o]);
      const DType dtype = complete.back() ? op.outputs()[o].dtype : partial.components[c].dtype;
      out.emplace_back(box, dtype, random);
      expected.emplace_back(box, dtype, random);
    }
  }
  const auto in_views = views(in), out_views = views(out), expected_views = views(expected);
  const KernelCall call{op, function, in_views, out_views, complete};
  const KernelCall reference{op, function, in_views, expected_views, complete};
  const PreparedKernel kernel = prepare_kernel(call);
  ++(kernel.kind == PreparedKernel::Kind::fast ? counts.fast : counts.reference);
  run(kernel);
  run(prepare_reference(reference));
  const DType computed = op.inputs().empty() ? DType::f64 : op.inputs()[0].dtype;
  EXPECT_EQ(difference(call, reference, computed), "")
      << op.name() << "(" << text(op.attributes()) << ")\n"
      << text(spec) << "cell " << cell;
}

class Kernels : public testing::TestWithParam<std::string_view> {};

TEST_P(Kernels, AgreeWithTheReference) {
  use_one_blas_thread();
  const OperatorInfo& info = *find_operator(GetParam());
  Counts counts;
  Random random(7);
  for (int round = 0; round < rounds(12, 200); ++round) {
    Sample sample = info.sample(random);
    if (info.name == "einsum" && round % 2) {  // sums of products have a fast kernel
      sample.call.attributes.set("combine", std::string("multiply"));
      sample.call.attributes.set("aggregate", std::string("sum"));
    }
    const auto op = make_operator(info, sample.call);
    const auto inputs =
        random_arrays(*op, sample.domains, round % 2 ? Values::integers : Values::reals, random);
    for (const Signature& signature : op->signatures()) {
      const auto shared = std::make_shared<const Signature>(signature);
      int64_t left = 3;
      for (int64_t cells : {1, 2, 6}) {
        for_each_spec(shared, cells, random, [&](const JoinAggSpec& spec) {
          if (left-- <= 0 && random() % 8) return;
          check_cell(*op, spec, random_below(random, spec.cells()), inputs, random, counts);
        });
      }
      if (HasFailure()) return;
    }
  }
  printf("%-14s %lld by fast kernels, %lld by the reference\n", std::string(info.name).c_str(),
         static_cast<long long>(counts.fast), static_cast<long long>(counts.reference));
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const OperatorInfo& info : operators()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Registry, Kernels, testing::ValuesIn(names()),
                         [](const auto& param) { return std::string(param.param); });

// Heads side by side again, after attention: columns of a dense block from a strided one.
TEST(LayoutKernel, CopiesOnceIfTheBlockKeepsTheOrderOfItsElements) {
  const auto op = operator_of("reshape", {f32({3, 2, 4})}, {{"shape", std::vector<int64_t>{3, 8}}});
  const FunctionSpec cell = cut(*op, {}).cell(0);
  std::vector<float> from(24), to(24);
  std::iota(from.begin(), from.end(), 0.0F);
  const Shape in_shape = {3, 2, 4}, out_shape = {3, 8};
  const std::vector<int64_t> by_heads = {4, 12, 1}, dense = {8, 1}, wide = {9, 1};
  const auto bytes = [](std::vector<float>& x) { return reinterpret_cast<std::byte*>(x.data()); };
  const StridedView input{bytes(from), DType::f32, in_shape, by_heads};
  const StridedView output{bytes(to), DType::f32, out_shape, dense};
  const std::vector<char> complete = {1};
  const auto kernel = prepare_layout({*op, cell, {&input, 1}, {&output, 1}, complete});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->workspace, 0);
  run(*kernel);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t token = i / 8, head = i / 4 % 2, element = i % 4;
    EXPECT_EQ(to[i], static_cast<float>(head * 12 + token * 4 + element));
  }
  const StridedView apart{bytes(to), DType::f32, out_shape, wide};
  EXPECT_GT(prepare_layout({*op, cell, {&input, 1}, {&apart, 1}, complete})->workspace, 0);
}

}  // namespace
}  // namespace einsummable::cpu
