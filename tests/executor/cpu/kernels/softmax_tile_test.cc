// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/softmax_tile.h"

#include "tests/executor/cpu/kernels/blocks.h"

namespace einsummable::cpu {
namespace {

// The exponentials of -range to 0, through tiles of one row with the maximum 0 in front.
template <class T>
double largest_error_in_ulp(double range, double unit) {
  double worst = 0;
  constexpr int64_t kColumns = 256;
  for (int64_t begin = 0; begin < 100000; begin += kColumns - 1) {
    std::vector<T> scores(kColumns), values(kTileLanes, 0);
    for (int64_t i = 1; i < kColumns; ++i) {
      scores[static_cast<size_t>(i)] =
          static_cast<T>(-range * static_cast<double>(begin + i) / 100000);
    }
    const std::vector<T> x = scores;
    T maximum = -std::numeric_limits<T>::infinity(), sum = 0;
    softmax_tile({scores.data(), kColumns, 1, kColumns, kColumns, 1, &maximum, &sum, values.data(),
                  kTileLanes});
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = std::exp(static_cast<double>(x[i]));
      worst = std::max(worst, std::abs(static_cast<double>(scores[i]) - want) / (want * 2 * unit));
    }
    EXPECT_EQ(maximum, 0);
  }
  return worst;
}

TEST(SoftmaxTile, ExponentialsAreWithinTwoUlp) {
  EXPECT_LE(largest_error_in_ulp<float>(80, roundoff(DType::f32)), 2);
  EXPECT_LE(largest_error_in_ulp<double>(700, roundoff(DType::f64)), 2);
}

TEST(SoftmaxTile, KeepsNaNAndDropsMinusInfinity) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const float bad : {nan, inf}) {
    for (size_t place = 0; place < 20; ++place) {
      std::vector<float> scores(32, -inf), values(kTileLanes, 1);
      scores[3] = 2;
      scores[place] = bad;
      float maximum = -inf, sum = 0;
      softmax_tile({scores.data(), 32, 1, 20, 20, 1, &maximum, &sum, values.data(), kTileLanes});
      EXPECT_TRUE(std::isnan(scores[place]));
      EXPECT_TRUE(std::isnan(sum));
      std::vector<float> later(32, 5);
      softmax_tile({later.data(), 32, 1, 20, 20, 1, &maximum, &sum, values.data(), kTileLanes});
      EXPECT_TRUE(std::isnan(sum));
    }
  }
  std::vector<float> scores(32, -inf), values(kTileLanes, 1);
  float maximum = -inf, sum = 0;
  softmax_tile({scores.data(), 32, 1, 20, 20, 1, &maximum, &sum, values.data(), kTileLanes});
  EXPECT_EQ(sum, 0);
  normalise_tile(SoftmaxTile<float>{
      .rows = 1, .sum = &sum, .values = values.data(), .values_stride = kTileLanes});
  EXPECT_EQ(values[5], 0);
}

}  // namespace
}  // namespace einsummable::cpu
