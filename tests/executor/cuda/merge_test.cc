// SPDX-License-Identifier: Apache-2.0
// Every kind of partial result merges on the host twin as the float64 reference merges it.
#include <gtest/gtest.h>

#include <limits>

#include "tests/executor/cuda/operator_bench.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::BenchBlock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Shape any_shape(Random& random) {
  static const std::vector<Shape> shapes = {{},     {0, 3},   {7},       {5, 33},
                                            {2, 3}, {1, 700}, {2, 9, 6}, {6, 5, 3}};
  return shapes[random() % shapes.size()];
}

std::vector<int32_t> first_axes(size_t many) {
  std::vector<int32_t> axes(many);
  for (size_t i = 0; i < many; ++i) axes[i] = static_cast<int32_t>(i);
  return axes;
}

// Component `c` of a part has values `value(c)`.
using ValueOf = std::function<double(size_t c)>;

void add_merge(OperatorBench& bench, const PartialType& partial, const Shape& shape,
               std::optional<DType> finished, Random& random, const ValueOf& value) {
  const Box box = box_of(shape);
  const auto parts = static_cast<int32_t>(1 + random_below(random, 9));
  std::vector<BenchBlock> reads, writes;
  std::vector<Array64> merged;
  for (int32_t part = 0; part < parts; ++part) {
    std::vector<Array64> components;
    for (size_t c = 0; c < partial.components.size(); ++c) {
      const Component& component = partial.components[c];
      Array64& array = components.emplace_back(component_box(component, box));
      for (double& x : array.values()) x = rounded(value(c), component.dtype);
      reads.push_back(random_block(array.bounds(), component.dtype, random));
      fill(reads.back(), array);
    }
    if (part == 0) {
      merged = components;
    } else {
      merge(partial, merged, components);
    }
  }
  if (finished) merged = {finalise(partial, merged)};
  for (size_t c = 0; c < merged.size(); ++c) {
    const DType dtype = finished.value_or(partial.components[c].dtype);
    writes.push_back(random_block(merged[c].bounds(), dtype, random));
  }
  std::vector<Block> in, out;
  for (const BenchBlock& block : reads) in.push_back(block.block);
  for (const BenchBlock& block : writes) out.push_back(block.block);
  PreparedTask task = prepare_merge(partial, parts, finished, in, out);
  bench.add(std::move(task), std::move(reads), std::move(writes),
            {std::to_string(parts) + " parts by " + std::string(name(partial.merge)) + " in " +
                 std::string(long_name(partial.components.back().dtype)),
             partial.components.back().dtype, std::move(merged)});
}

std::optional<DType> perhaps(DType dtype, Random& random) {
  return random() % 2 == 0 ? std::optional(dtype) : std::nullopt;
}

// Small integers are exact in every dtype; NaN wins in max and min.
TEST(Merges, OfOneComponent) {
  OperatorBench bench;
  Random random(1);
  for (int round = 0; round < rounds(4, 40); ++round) {
    for (Merge merge : {Merge::sum, Merge::prod, Merge::max, Merge::min}) {
      for (DType dtype : kAllDTypes) {
        const bool boolean = dtype == DType::boolean, adds = merge == Merge::sum;
        if (boolean && (adds || merge == Merge::prod)) continue;
        const Shape shape = any_shape(random);
        const int64_t most = boolean                ? 1
                             : merge == Merge::prod ? 2
                                                    : 5,
                      least = boolean ? 0 : -most;
        const bool nans = is_float(dtype) && !adds && merge != Merge::prod;
        add_merge(bench, {merge, {{"value", dtype, first_axes(shape.size())}}, 1}, shape,
                  perhaps(dtype, random), random, [&](size_t) -> double {
                    if (nans && random() % 9 == 0) return kNaN;
                    return static_cast<double>(least + random_below(random, most - least + 1));
                  });
      }
    }
  }
  bench.run();
}

// The sum itself may be beyond float16: it is scaled before it is rounded, and of integers in
// float64.
TEST(Merges, OfMeans) {
  OperatorBench bench;
  Random random(2);
  for (int round = 0; round < rounds(4, 40); ++round) {
    for (DType sums : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64}) {
      for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        const Shape shape = any_shape(random);
        add_merge(bench, {Merge::sum, {{"value", sums, first_axes(shape.size())}}, 1.0 / 16}, shape,
                  dtype, random,
                  [&](size_t) { return 64.0 * static_cast<double>(random_below(random, 900)); });
      }
    }
  }
  bench.run();
}

TEST(Merges, OfLogSumExps) {
  OperatorBench bench;
  Random random(3);
  for (int round = 0; round < rounds(4, 40); ++round) {
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
      const Shape shape = any_shape(random);
      add_merge(bench, {Merge::log_sum_exp, {{"value", dtype, first_axes(shape.size())}}, 1}, shape,
                perhaps(dtype, random), random, [&](size_t) {
                  return random() % 5 == 0 ? -kInfinity
                                           : std::normal_distribution<double>(0, 30)(random);
                });
    }
  }
  bench.run();
}

// The lse lacks some of the last axes, and may be of a wider dtype than the values.
TEST(Merges, OfWeightedMeans) {
  OperatorBench bench;
  Random random(4);
  for (int round = 0; round < rounds(6, 60); ++round) {
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
      Shape shape = any_shape(random);
      if (shape.empty()) shape = {4};
      const auto rows = static_cast<size_t>(random_below(random, std::ssize(shape) + 1));
      const PartialType partial{Merge::weighted_mean,
                                {{"value", dtype, first_axes(shape.size())},
                                 {"lse", accumulation(dtype), first_axes(rows)}},
                                1};
      add_merge(bench, partial, shape, perhaps(dtype, random), random, [&](size_t component) {
        return std::normal_distribution<double>(0, component == 1 ? 10 : 1)(random);
      });
    }
  }
  bench.run();
}

// Two parts of a weighted mean, of a row each: {value, lse} of the one and the other.
void add_pair(OperatorBench& bench, std::array<double, 2> one, std::array<double, 2> other,
              double value) {
  const PartialType partial{
      Merge::weighted_mean, {{"value", DType::f32, {0, 1}}, {"lse", DType::f32, {0}}}, 1};
  Random random(5);
  std::vector<BenchBlock> reads, writes = {random_block(box_of(Shape{1, 3}), DType::f32, random)};
  std::vector<Block> in;
  for (const auto& part : {one, other}) {
    for (size_t c = 0; c < 2; ++c) {
      const Box box = component_box(partial.components[c], box_of(Shape{1, 3}));
      reads.push_back(random_block(box, DType::f32, random));
      fill(reads.back(), Array64(box, part[c]));
      in.push_back(reads.back().block);
    }
  }
  PreparedTask task = prepare_merge(partial, 2, DType::f32, in, {&writes[0].block, 1});
  bench.add(std::move(task), std::move(reads), std::move(writes),
            {"a pair", DType::f32, {Array64(box_of(Shape{1, 3}), value)}});
}

TEST(Merges, WhatWeighsNothingDoesNotCountEvenIfItIsNaN) {
  OperatorBench bench;
  add_pair(bench, {kNaN, -kInfinity}, {5, 3}, 5);
  add_pair(bench, {5, 3}, {kInfinity, -kInfinity}, 5);
  add_pair(bench, {kNaN, -kInfinity}, {kNaN, -kInfinity}, 0);
  add_pair(bench, {4, 0}, {8, 0}, 6);
  add_pair(bench, {4, 500}, {8, -500}, 4);
  bench.run();
}

TEST(Merges, OfFirstMaxima) {
  OperatorBench bench;
  Random random(6);
  for (int round = 0; round < rounds(6, 60); ++round) {
    for (DType dtype : {DType::f32, DType::f64, DType::i32, DType::i64, DType::f16, DType::bf16}) {
      const Shape shape = any_shape(random);
      const std::vector<int32_t> axes = first_axes(shape.size());
      add_merge(bench, {Merge::first_max, {{"index", DType::i64, axes}, {"value", dtype, axes}}, 1},
                shape, perhaps(DType::i64, random), random, [&](size_t component) {
                  if (component == 1 && is_float(dtype) && random() % 5 == 0) return kNaN;
                  return static_cast<double>(component == 0 ? random_below(random, 100)
                                                            : random_below(random, 5) - 2);
                });
    }
  }
  bench.run();
}

}  // namespace
}  // namespace einsummable::cuda
