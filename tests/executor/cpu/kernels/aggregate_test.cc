// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/aggregate.h"

#include "einsummable/base/error.h"
#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Array64 read(const Block& block) {
  Array64 array(box_of(block.shape()));
  size_t next = 0;
  block.each([&](const std::vector<int64_t>& at) { array.values()[next++] = block.at(at); });
  return array;
}

struct Case {
  PartialType partial;
  std::optional<DType> finished;
  Shape shape;
  std::vector<std::vector<Block>> parts;  // of each part the components

  // The float64 reference: merged from the first part to the last, finished if asked for.
  std::vector<Array64> reference() const {
    std::vector<std::vector<Array64>> blocks;
    for (const std::vector<Block>& part : parts) {
      blocks.emplace_back();
      for (const Block& block : part) blocks.back().push_back(read(block));
    }
    std::vector<Array64> merged = blocks[0];
    for (size_t i = 1; i < blocks.size(); ++i) merge(partial, merged, blocks[i]);
    if (finished) return {finalise(partial, merged)};
    return merged;
  }

  std::vector<Block> run(Random& random) {
    std::vector<StridedView> reads, unbound, writes;
    for (std::vector<Block>& part : parts) {
      for (Block& block : part) reads.push_back(block.view());
    }
    for (StridedView view : reads)
      unbound.push_back({nullptr, view.dtype, view.shape, view.strides});
    std::vector<Block> out;
    for (size_t c = 0; c < (finished ? 1 : partial.components.size()); ++c) {
      const DType dtype = finished.value_or(partial.components[c].dtype);
      out.push_back(Block::scattered(dtype, parts[0][c].shape(), random));
    }
    for (Block& block : out) writes.push_back(block.view());
    const Aggregation kernel(partial, static_cast<int32_t>(parts.size()), finished, unbound);
    std::vector<std::byte> workspace(static_cast<size_t>(kernel.workspace_bytes()));
    kernel.run(reads, writes, workspace);
    for (const Block& block : out) EXPECT_TRUE(block.gaps_untouched());
    return out;
  }
};

Shape any_shape(Random& random) {
  static const std::vector<Shape> shapes = {{},     {0, 3},    {7},        {5, 33},
                                            {2, 3}, {1, 1500}, {2, 9, 64}, {64, 5, 3}};
  return shapes[random() % shapes.size()];
}

// `fill(block, component)` gives every block its values.
Case any_case(Random& random, const PartialType& partial, const Shape& shape,
              std::optional<DType> finished, const std::function<double(size_t)>& value) {
  Case c{partial, finished, shape, {}};
  for (int64_t part = pick(random, 1, 9); part-- > 0;) {
    c.parts.emplace_back();
    for (size_t k = 0; k < partial.components.size(); ++k) {
      Shape own;
      for (int32_t axis : partial.components[k].axes)
        own.push_back(shape[static_cast<size_t>(axis)]);
      c.parts.back().push_back(Block::any(partial.components[k].dtype, own, random));
      c.parts.back().back().fill([&] { return value(k); });
    }
  }
  return c;
}

std::vector<int32_t> all_axes(const Shape& shape) {
  std::vector<int32_t> axes(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
  return axes;
}

void expect_near(const std::vector<Block>& got, const std::vector<Array64>& expected,
                 const std::function<double(double)>& tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t c = 0; c < got.size(); ++c) {
    const Array64 values = read(got[c]);
    for (size_t i = 0; i < values.values().size(); ++i) {
      const double x = values.values()[i], y = expected[c].values()[i];
      const bool same = x == y || (std::isnan(x) && std::isnan(y));
      ASSERT_TRUE(same || std::abs(x - y) <= tolerance(y))
          << "component " << c << ": " << x << ", not " << y;
    }
  }
}

// Small integers are exact in every dtype, so the bits must be those of the reference.
TEST(Aggregation, OfOneComponentIsExactOnSmallIntegers) {
  for (int seed = 0; seed < rounds(100, 3000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    for (Merge merge : {Merge::sum, Merge::prod, Merge::max, Merge::min}) {
      for (DType dtype : kAllDTypes) {
        const Shape shape = any_shape(random);
        const bool boolean = dtype == DType::boolean;
        const PartialType partial{merge, {{"value", dtype, all_axes(shape)}}, 1};
        const auto finished = random() % 2 == 0 ? std::optional(dtype) : std::nullopt;
        const int64_t most = merge == Merge::prod ? 2 : 5;
        Case c = any_case(random, partial, shape, finished, [&](size_t) {
          return static_cast<double>(pick(random, boolean ? 0 : -most, boolean ? 1 : most));
        });
        // Of bools, a sum is `or` and a product `and`.
        if (boolean && merge == Merge::sum) c.partial.merge = Merge::max;
        std::vector<Array64> expected = c.reference();
        c.partial.merge = merge;
        expect_near(c.run(random), expected, [](double) { return 0.0; });
      }
    }
  }
}

// A part a value, each of one element.
Case scalars(DType dtype, std::optional<DType> finished, double scale,
             const std::vector<double>& values) {
  Case c{{Merge::sum, {{"value", dtype, {}}}, scale}, finished, {}, {}};
  for (double value : values) {
    Block block(dtype, {});
    block.fill([&] { return value; });
    c.parts.push_back({block});
  }
  return c;
}

TEST(Aggregation, SumsHalvesInFloat32AndScalesBeforeRounding) {
  Random random(1);
  // The sum itself is beyond float16.
  Case mean = scalars(DType::f32, DType::f16, 1.0 / 8, std::vector<double>(8, 60000));
  EXPECT_EQ(mean.run(random)[0].at({}), 60000);
  // In float16, 2048 + 1 is 2048.
  Case halves = scalars(DType::f16, DType::f16, 1, {2048, 1, 1});
  EXPECT_EQ(halves.run(random)[0].at({}), 2050);
}

TEST(Aggregation, MeansOfIntegersAreTakenInFloat64) {
  Random random(1);
  Case c = scalars(DType::i64, DType::f32, 1.0 / 3, {100, 1 << 30, -(1 << 30)});
  EXPECT_EQ(c.run(random)[0].at({}), static_cast<double>(100.0f / 3));
}

TEST(Aggregation, NaNWinsInMaxAndMinAtEveryPlace) {
  Random random(2);
  for (Merge merge : {Merge::max, Merge::min}) {
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
      const Shape shape = {50};
      const PartialType partial{merge, {{"value", dtype, all_axes(shape)}}, 1};
      Case c = any_case(random, partial, shape, dtype, [&](size_t) {
        return random() % 9 == 0 ? kNaN : static_cast<double>(pick(random, -9, -1));
      });
      expect_near(c.run(random), c.reference(), [](double) { return 0.0; });
    }
  }
}

TEST(Aggregation, MergesLogSumExps) {
  for (int seed = 0; seed < rounds(50, 1000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Shape shape = any_shape(random);
    for (DType dtype : {DType::f32, DType::f64}) {
      const PartialType partial{Merge::log_sum_exp, {{"value", dtype, all_axes(shape)}}, 1};
      Case c = any_case(random, partial, shape, dtype, [&](size_t) {
        return random() % 5 == 0 ? -kInfinity : std::normal_distribution<double>(0, 30)(random);
      });
      const double u = roundoff(dtype);
      expect_near(c.run(random), c.reference(),
                  [u](double y) { return 60 * u * (1 + std::abs(y)); });
    }
  }
}

TEST(Aggregation, WeighsMeansByTheirLse) {
  for (int seed = 0; seed < rounds(100, 3000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Shape shape = any_shape(random);
    if (shape.empty()) shape = {4};
    for (DType dtype : {DType::f32, DType::f64}) {
      // The lse lacks some of the last axes.
      std::vector<int32_t> axes = all_axes(shape);
      axes.resize(axes.size() - static_cast<size_t>(pick(random, 0, std::ssize(axes))));
      const PartialType partial{
          Merge::weighted_mean, {{"value", dtype, all_axes(shape)}, {"lse", dtype, axes}}, 1};
      const auto finished = random() % 2 == 0 ? std::optional(dtype) : std::nullopt;
      Case c = any_case(random, partial, shape, finished, [&](size_t component) {
        if (component == 1 && random() % 4 == 0) return -kInfinity;
        return std::normal_distribution<double>(0, component == 1 ? 10 : 1)(random);
      });
      // What weighs nothing has any value, as long as a row with no weight at all is 0.
      for (std::vector<Block>& part : c.parts) {
        part[0].each([&](const std::vector<int64_t>& at) {
          std::vector<int64_t> row;
          for (int32_t axis : axes) row.push_back(at[static_cast<size_t>(axis)]);
          if (part[1].at(row) == -kInfinity) part[0].set(at, 0);
        });
      }
      const std::vector<Array64> expected = c.reference();
      const double u = roundoff(dtype);
      expect_near(c.run(random), expected, [u](double y) { return 400 * u * (1 + std::abs(y)); });
    }
  }
}

TEST(Aggregation, WhatWeighsNothingDoesNotCountEvenIfItIsNaN) {
  Random random(0);
  const PartialType partial{
      Merge::weighted_mean, {{"value", DType::f32, {0, 1}}, {"lse", DType::f32, {0}}}, 1};
  Case c = any_case(random, partial, {2, 3}, DType::f32, [](size_t) { return 1; });
  c.parts.resize(2, c.parts[0]);
  for (size_t part = 0; part < 2; ++part) {
    c.parts[part] = {Block(DType::f32, {2, 3}), Block(DType::f32, {2})};
    c.parts[part][0].fill([&] { return part == 0 ? kNaN : 5.0; });
    c.parts[part][1].fill([&] { return part == 0 ? -kInfinity : 3.0; });
  }
  expect_near(c.run(random), {Array64(box_of(Shape{2, 3}), 5)}, [](double) { return 0.0; });
  c.parts[1][1].fill([] { return -kInfinity; });
  expect_near(c.run(random), {Array64(box_of(Shape{2, 3}), 0)}, [](double) { return 0.0; });
}

TEST(Aggregation, FindsTheFirstMaximum) {
  for (int seed = 0; seed < rounds(100, 3000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Shape shape = any_shape(random);
    for (DType dtype : {DType::f32, DType::f64, DType::i32, DType::i64, DType::f16}) {
      const PartialType partial{
          Merge::first_max,
          {{"index", DType::i64, all_axes(shape)}, {"value", dtype, all_axes(shape)}},
          1};
      const auto finished = random() % 2 == 0 ? std::optional(DType::i64) : std::nullopt;
      Case c = any_case(random, partial, shape, finished, [&](size_t component) {
        if (component == 1 && is_float(dtype) && random() % 5 == 0) return kNaN;
        return static_cast<double>(component == 0 ? pick(random, 0, 99) : pick(random, -2, 2));
      });
      expect_near(c.run(random), c.reference(), [](double) { return 0.0; });
    }
  }
}

// The order of the parts is fixed, so the bits are those of adding them one after another.
TEST(Aggregation, AddsFromTheFirstPartToTheLast) {
  Random random(4);
  const Shape shape = {1000};
  const PartialType partial{Merge::sum, {{"value", DType::f32, all_axes(shape)}}, 1};
  Case c = any_case(random, partial, shape, std::nullopt,
                    [&](size_t) { return std::normal_distribution<double>()(random); });
  const std::vector<Block> out = c.run(random);
  out[0].each([&](const std::vector<int64_t>& at) {
    float sum = static_cast<float>(c.parts[0][0].at(at));
    for (size_t i = 1; i < c.parts.size(); ++i) sum += static_cast<float>(c.parts[i][0].at(at));
    ASSERT_EQ(out[0].at(at), static_cast<double>(sum));
  });
}

TEST(Aggregation, RefusesOtherPartsThanItHas) {
  Block block(DType::f32, {3});
  const StridedView reads[] = {block.view(), block.view()};
  const PartialType partial{Merge::sum, {{"value", DType::f32, {0}}}, 1};
  EXPECT_THROW(Aggregation(partial, 3, std::nullopt, reads), InternalError);
  EXPECT_THROW(Aggregation(partial, 0, std::nullopt, {}), InternalError);
}

}  // namespace
}  // namespace einsummable::cpu
