// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/rows.h"

#include "tests/executor/cpu/kernels/blocks.h"

namespace einsummable::cpu {
namespace {

template <class T>
std::vector<T> random_row(Random& random, int64_t n) {
  std::normal_distribution<double> normal;
  std::vector<T> row;
  for (int64_t i = 0; i < n; ++i) row.push_back(static_cast<T>(normal(random)));
  return row;
}

template <class T>
class RowsOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RowsOf, Types);

TYPED_TEST(RowsOf, EveryLengthAndBeginningGivesSumAndExtremes) {
  using T = TypeParam;
  Random random(1);
  for (int64_t n = 0; n < 150; ++n) {
    const std::vector<T> row = random_row<T>(random, n + 1);
    const T* x = row.data() + 1;
    double sum = 0, magnitude = 0;
    T most = -std::numeric_limits<T>::infinity(), least = -most;
    for (int64_t i = 0; i < n; ++i) {
      sum += static_cast<double>(x[i]);
      magnitude += std::abs(static_cast<double>(x[i]));
      most = std::max(most, x[i]);
      least = std::min(least, x[i]);
    }
    EXPECT_NEAR(sum_of(x, n), sum, 0x1p-53 * static_cast<double>(n) * magnitude);
    EXPECT_EQ(max_of(x, n), most);
    EXPECT_EQ(min_of(x, n), least);
  }
}

TYPED_TEST(RowsOf, NaNWinsWhereverItIs) {
  using T = TypeParam;
  Random random(2);
  for (int64_t n : {1, 7, 16, 33, 64, 70}) {
    for (int64_t place = 0; place < n; ++place) {
      std::vector<T> row = random_row<T>(random, n);
      row[static_cast<size_t>(place)] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_TRUE(std::isnan(max_of(row.data(), n)));
      EXPECT_TRUE(std::isnan(min_of(row.data(), n)));
      EXPECT_TRUE(std::isnan(sum_of(row.data(), n)));
      EXPECT_TRUE(std::isnan(exponentials(row.data(), T{9}, nullptr, n)));
    }
  }
}

TYPED_TEST(RowsOf, ExponentialsAndTheirSumAreAccurate) {
  using T = TypeParam;
  Random random(3);
  const double unit = roundoff(kDTypeOf<T>);
  for (int64_t n = 0; n < 100; ++n) {
    const std::vector<T> x = random_row<T>(random, n);
    std::vector<T> y(x.size());
    const T most = max_of(x.data(), n);
    const T sum = exponentials(x.data(), most, y.data(), n);
    double total = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = std::exp(static_cast<double>(x[i] - most));
      EXPECT_NEAR(static_cast<double>(y[i]), want, 4 * unit * want);
      total += want;
    }
    EXPECT_NEAR(static_cast<double>(sum), total, unit * static_cast<double>(n + 4) * total);
    EXPECT_EQ(exponentials(x.data(), most, nullptr, n), sum);
  }
}

}  // namespace
}  // namespace einsummable::cpu
