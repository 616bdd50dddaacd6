// SPDX-License-Identifier: Apache-2.0
// Float sums that travel in another dtype than their operators state.

#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/base/error.h"
#include "einsummable/ops/registry.h"
#include "tests/support/executable.h"
#include "tests/support/operators.h"
#include "tests/support/random_arrays.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr DType kFloats[] = {DType::f64, DType::bf16, DType::f16, DType::f32};
constexpr auto kNumeric = CompileOptions::Verify::numeric;

// y = the sum of x, of 1 x n, cut in 8.
struct Sum {
  Graph graph;
  TensorId x;

  Sum(DType dtype, int64_t n) {
    x = graph.input(dtype, {1, n}, "x");
    graph.save(graph.apply("sum", {x}, {{"axis", std::vector<int64_t>{1}}}, "sum")[0], "y");
  }

  double in_8(const Array64& values, std::optional<DType> partial_dtype) const {
    const auto executable = compiled(
        graph, {.devices = 8, .pins = {{"sum", {{"i1", 8}}}}, .partial_dtype = partial_dtype});
    return call(*executable, graph, {{x, values}})[0].values().values()[0];
  }
};

TEST(PartialDType, Float64MakesSplitSumsMoreExact) {
  const int64_t n = 8 * 64;
  const Sum sum(DType::f32, n);
  double narrow = 0, wide = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Array64 x = rounded(random_reals(random, {1, n}), DType::f32);
    // The halves cancel but for a little.
    for (int64_t j = 0; j < n / 2; ++j) x.at({0, j + n / 2}) = -x.at({0, j});
    x.at({0, 0}) += 0x1p-20;
    x = rounded(std::move(x), DType::f32);
    double exact = 0;
    for (double value : x.values()) exact += value;
    narrow += std::abs(sum.in_8(x, {}) - exact);
    wide += std::abs(sum.in_8(x, DType::f64) - exact);
  }
  EXPECT_GT(narrow, 1e-6);
  EXPECT_LT(wide, narrow / 1000);
}

TEST(PartialDType, SumsOfHalvesOverflowOnlyInFloat16) {
  const Sum sum(DType::f16, 64);
  Array64 x(box_of(Shape{1, 64}));
  for (int64_t j = 0; j < 64; ++j) x.at({0, j}) = j < 32 ? 60000 : -60000;
  EXPECT_EQ(sum.in_8(x, {}), 0);
  for (DType dtype : kFloats) {
    if (dtype == DType::f16) {
      EXPECT_FALSE(std::isfinite(sum.in_8(x, dtype)));
    } else {
      EXPECT_EQ(sum.in_8(x, dtype), 0) << long_name(dtype);
    }
  }
}

TEST(PartialDType, OverflowIsWhatNumericVerificationReports) {
  const Sum sum(DType::f16, 64);
  Array64 x(box_of(Shape{1, 64}));
  for (int64_t j = 0; j < 64; ++j) x.at({0, j}) = j < 32 ? 60000 : -60000;
  const auto executable = compiled(sum.graph, {.devices = 8,
                                               .pins = {{"sum", {{"i1", 8}}}},
                                               .partial_dtype = DType::f16,
                                               .verify = kNumeric});
  EXPECT_THROW(call(*executable, sum.graph, {{sum.x, x}}), DeviceError);
}

// Integers and extremes do not change at all.
TEST(PartialDType, LeavesIntegersAndExtremesAlone) {
  for (DType dtype : kFloats) {
    const Sum integers(DType::i32, 64);
    Array64 x(box_of(Shape{1, 64}), 2147483647);
    EXPECT_EQ(integers.in_8(x, dtype), 64 * 2147483647.0);
    Graph graph;
    const TensorId given = graph.input(DType::f32, {1, 64}, "x");
    graph.save(graph.apply("max", {given}, {}, "max")[0], "y");
    const auto executable = compiled(graph, {.devices = 8,
                                             .pins = {{"max", {{"i1", 8}}}},
                                             .objective = kProxy,
                                             .partial_dtype = dtype});
    Random random(1);
    const Array64 values = rounded(random_reals(random, {1, 64}), DType::f32);
    EXPECT_EQ(call(*executable, graph, {{given, values}})[0].values().values()[0],
              *std::ranges::max_element(values.values()));
  }
}

TEST(PartialDType, RandomGraphsStayWithinTheBoundOfTheDType) {
  for (int round = 0; round < rounds(48, 1500); ++round) {
    Random random(static_cast<uint64_t>(5000 + round));
    const DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64};
    const Graph graph = random_graph(random, 3 + round % 9, dtypes[(round / 4) % 4]);
    const auto values = random_values(random, graph);
    CompileOptions options{.devices = 8,
                           .selector = Selector::random,
                           .seed = random(),
                           .partial_dtype = kFloats[round % 4],
                           .verify = kNumeric};
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + text(graph));
    const auto shared = compiled(graph, options);
    options.sites = CompileOptions::Sites::private_sites;
    const auto isolated = compiled(graph, options);
    std::vector<Memory> a, b;
    ASSERT_NO_THROW(a = call(*shared, graph, values));
    ASSERT_NO_THROW(b = call(*isolated, graph, values));
    EXPECT_EQ(hash_of(a), hash_of(b)) << "private sites give other bits";
  }
}

// Every operator whose partial results are float sums, by a kernel that is fast where one is.
TEST(PartialDType, EveryOperatorStaysWithinTheBoundOfTheDType) {
  int64_t merged = 0;
  for (const OperatorInfo& info : operators()) {
    for (int round = 0; round < rounds(16, 200); ++round) {
      Random random(static_cast<uint64_t>(round));
      const Sample sample = info.sample(random);
      const auto op = make_operator(info, sample.call);
      std::vector<Array64> arrays = random_arrays(*op, sample.domains, Values::reals, random);
      Graph graph;
      std::vector<TensorId> inputs;
      std::map<TensorId, Array64> values;
      for (size_t i = 0; i < arrays.size(); ++i) {
        const TensorType& type = op->inputs()[i];
        inputs.push_back(graph.input(type.dtype, type.shape()));
        values.emplace(inputs[i], rounded(std::move(arrays[i]), type.dtype));
      }
      graph.save(graph.apply(info.name, inputs, sample.call.attributes)[0], "y");
      const auto executable = compiled(graph, {.devices = 2 + round % 7,
                                               .selector = Selector::random,
                                               .seed = random(),
                                               .partial_dtype = kFloats[round % 4],
                                               .verify = kNumeric});
      for (const PlannedOp& planned : executable->plan().logical.ops) {
        merged += planned.spec->partials(0) > 1;
      }
      ASSERT_NO_THROW(call(*executable, graph, values)) << info.name << ", round " << round << "\n"
                                                        << text(graph);
    }
  }
  EXPECT_GT(merged, rounds(20, 50));
  printf("%lld operators of partial results\n", static_cast<long long>(merged));
}

}  // namespace
}  // namespace einsummable
