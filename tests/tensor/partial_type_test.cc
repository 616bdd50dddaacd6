// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/partial_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Merge kMerges[] = {Merge::sum,         Merge::prod,          Merge::max,      Merge::min,
                             Merge::log_sum_exp, Merge::weighted_mean, Merge::first_max};

const Box kBlock = {{2, 5}, {0, 2}};

PartialType type_of(Merge merge) {
  PartialType type = partial_of({DType::f32, kBlock}, merge);
  if (merge == Merge::weighted_mean) type.components.push_back({"lse", DType::f32, {0}});
  if (merge == Merge::first_max) {
    type.components.insert(type.components.begin(), {"index", DType::i64, {0, 1}});
  }
  return type;
}

double random_value(Random& random, Merge merge, size_t component) {
  if (merge == Merge::first_max && component == 0) return static_cast<double>(random() % 50);
  if (random() % 12 == 0) return -kInfinity;
  if (random() % 12 == 0 && (merge == Merge::max || merge == Merge::first_max)) return NAN;
  return static_cast<double>(random() % 7) - 3;
}

std::vector<Array64> random_part(Random& random, const PartialType& type) {
  std::vector<Array64> part = identity(type, kBlock);
  for (size_t c = 0; c < part.size(); ++c) {
    for (double& value : part[c].values()) {
      const bool averaged = type.merge == Merge::weighted_mean && c == 0;
      value = averaged ? static_cast<double>(random() % 9) : random_value(random, type.merge, c);
    }
  }
  return part;
}

bool near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-12 * (1 + std::abs(a));
}

// A value that no weight backs means nothing.
bool same(const PartialType& type, const std::vector<Array64>& a, const std::vector<Array64>& b) {
  for (size_t c = 0; c < a.size(); ++c) {
    for (size_t i = 0; i < a[c].values().size(); ++i) {
      const bool unbacked =
          type.merge == Merge::weighted_mean && c == 0 && a[1].values()[i / 2] == -kInfinity;
      if (!unbacked && !near(a[c].values()[i], b[c].values()[i])) return false;
    }
  }
  return true;
}

std::vector<Array64> merged(const PartialType& type, std::vector<Array64> a,
                            const std::vector<Array64>& b) {
  merge(type, a, b);
  return a;
}

TEST(Merge, IsAssociativeAndCommutativeWithAnIdentity) {
  Random random(1);
  for (Merge kind : kMerges) {
    const PartialType type = type_of(kind);
    for (int round = 0; round < 300; ++round) {
      const auto a = random_part(random, type), b = random_part(random, type),
                 c = random_part(random, type);
      SCOPED_TRACE(name(kind));
      EXPECT_TRUE(
          same(type, merged(type, merged(type, a, b), c), merged(type, a, merged(type, b, c))));
      EXPECT_TRUE(same(type, merged(type, a, b), merged(type, b, a)));
      EXPECT_TRUE(same(type, merged(type, a, identity(type, kBlock)), a));
      EXPECT_TRUE(same(type, merged(type, identity(type, kBlock), a), a));
    }
  }
}

TEST(Merge, WeighsMeansByTheirSumsOfExponentials) {
  Random random(2);
  const PartialType type = type_of(Merge::weighted_mean);
  for (int round = 0; round < 200; ++round) {
    const auto a = random_part(random, type), b = random_part(random, type);
    const auto both = merged(type, a, b);
    for (size_t i = 0; i < both[0].values().size(); ++i) {
      const double wa = std::exp(a[1].values()[i / 2]), wb = std::exp(b[1].values()[i / 2]);
      if (wa + wb == 0) continue;
      EXPECT_TRUE(
          near(both[0].values()[i], (wa * a[0].values()[i] + wb * b[0].values()[i]) / (wa + wb)));
      EXPECT_TRUE(near(both[1].values()[i / 2], std::log(wa + wb)));
    }
  }
}

TEST(Merge, KeepsNaNInMaximaAndMinima) {
  for (Merge kind : {Merge::max, Merge::min}) {
    EXPECT_TRUE(std::isnan(merge_values(kind, NAN, 1)));
    EXPECT_TRUE(std::isnan(merge_values(kind, 1, NAN)));
  }
  EXPECT_EQ(merge_values(Merge::max, -3.0, -5.0), -3);
}

TEST(Merge, OfIntegersIsExactAndWraps) {
  constexpr int64_t large = (int64_t{1} << 60) + 1, most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(merge_values(Merge::sum, large, int64_t{1}), large + 1);
  EXPECT_EQ(merge_values(Merge::sum, most, int64_t{1}), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(merge_values(Merge::prod, most, int64_t{2}), -2);
  EXPECT_EQ(merge_values(Merge::max, large, large - 1), large);
  EXPECT_EQ(merge_values(Merge::min, large, large - 1), large - 1);
  for (DType dtype : {DType::i64, DType::i32, DType::boolean}) {
    for (Merge kind : {Merge::sum, Merge::prod, Merge::max, Merge::min}) {
      const PartialType type = partial_of(tensor_type(dtype, Shape{2}), kind);
      const int64_t neutral = identity<int64_t>(type, {{0, 2}})[0].values()[1];
      for (int64_t value : {int64_t{0}, int64_t{1}}) {
        EXPECT_EQ(merge_values(kind, value, neutral), value) << name(kind);
      }
    }
  }
}

TEST(LogAddExp, NeitherOverflowsNorLosesInfinities) {
  EXPECT_EQ(log_add_exp(-kInfinity, -kInfinity), -kInfinity);
  EXPECT_EQ(log_add_exp(-kInfinity, 2), 2);
  EXPECT_EQ(log_add_exp(kInfinity, 2), kInfinity);
  EXPECT_DOUBLE_EQ(log_add_exp(1000, 1000), 1000 + std::log(2));
  EXPECT_TRUE(std::isnan(log_add_exp(NAN, 0)));
}

TEST(PartialType, AccumulatesSumsWideAndKeepsMaxima) {
  EXPECT_EQ(partial_of({DType::f16, kBlock}, Merge::sum).components[0].dtype, DType::f32);
  EXPECT_EQ(partial_of({DType::f16, kBlock}, Merge::max).components[0].dtype, DType::f16);
  const PartialType weighted = type_of(Merge::weighted_mean);
  EXPECT_EQ(component_box(weighted.components[1], kBlock), (Box{{2, 5}}));
  EXPECT_EQ(partial_bytes(weighted, kBlock), 6 * 4 + 3 * 4);
  const int64_t huge = int64_t{1} << 40;
  EXPECT_THROW(partial_bytes(weighted, {{0, huge}, {0, huge}}), Error);
}

TEST(PartialType, FinalisingScalesTheFirstComponent) {
  const PartialType mean = partial_of({DType::f32, {{0, 2}}}, Merge::sum, 0.25);
  std::vector<Array64> sums = identity(mean, {{0, 2}});
  sums[0].values() = {8, 2};
  EXPECT_EQ(finalise(mean, sums).values(), (std::vector<double>{2, 0.5}));
}

TEST(PartialType, FloatSumsTakeAnotherDType) {
  const TensorType y = tensor_type(DType::f32, Shape{2, 3});
  const auto dtype = [&](const TensorType& output, Merge merge, std::optional<DType> asked) {
    return with_sums_in(partial_of(output, merge), asked).components[0].dtype;
  };
  for (DType asked : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    EXPECT_EQ(dtype(y, Merge::sum, asked), asked);
    EXPECT_EQ(dtype(y, Merge::log_sum_exp, asked), asked);
    for (Merge merge : {Merge::max, Merge::min, Merge::prod}) {
      EXPECT_EQ(dtype(y, merge, asked), DType::f32) << name(merge);
    }
    EXPECT_EQ(dtype(tensor_type(DType::i32, Shape{2}), Merge::sum, asked), DType::i64);
    PartialType weighted = partial_of(y, Merge::weighted_mean);
    weighted.components.push_back({"lse", DType::f32, {0}});
    weighted = with_sums_in(weighted, asked);
    EXPECT_EQ(weighted.components[0].dtype, asked);
    EXPECT_EQ(weighted.components[1].dtype, asked == DType::f64 ? DType::f64 : DType::f32);
  }
  EXPECT_EQ(dtype(y, Merge::sum, std::nullopt), DType::f32);
}

}  // namespace
}  // namespace einsummable
