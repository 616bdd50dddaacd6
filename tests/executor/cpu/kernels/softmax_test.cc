// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/softmax.h"

#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void run(SoftmaxKind kind, Block& x, int64_t axis, Block& y) {
  Scratch scratch(softmax_workspace_bytes(x.view(), axis, y.view()));
  softmax(kind, x.view(), axis, y.view(), scratch.bytes());
}

void check(SoftmaxKind kind, const Block& x, size_t axis, const Block& y, const std::string& what) {
  const double unit = roundoff(x.dtype() == DType::f64 ? DType::f64 : DType::f32);
  const int64_t n = x.shape()[axis];
  int64_t wrong = 0;
  y.each([&](const std::vector<int64_t>& position) {
    std::vector<int64_t> at = position;
    double most = -kInfinity, sum = 0;
    for (at[axis] = 0; at[axis] < n; ++at[axis]) most = std::max(most, x.at(at));
    for (at[axis] = 0; at[axis] < n; ++at[axis]) sum += std::exp(x.at(at) - most);
    const double below = x.at(position) - most, spread = std::isfinite(below) ? std::abs(below) : 0;
    const bool log = kind == SoftmaxKind::log_softmax;
    const double want = log ? below - std::log(sum) : std::exp(below) / sum;
    const double error = unit * (static_cast<double>(n) + spread + 12);
    const double bound = log ? error : error * want;
    wrong += !agree(y.at(position), want,
                    roundoff(y.dtype()) * std::abs(want) + bound + least(y.dtype()));
  });
  EXPECT_EQ(wrong, 0) << what;
  EXPECT_TRUE(y.gaps_untouched()) << what;
}

TEST(Softmax, AgreesWithFloat64OnAnyAxisStrideAndDType) {
  for (int seed = 0; seed < rounds(300, 10000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Shape shape;
    for (int64_t i = pick(random, 1, 3); i > 0; --i) shape.push_back(pick(random, 1, 40));
    if (random() % 20 == 0) shape[0] = 0;
    const auto axis = static_cast<size_t>(pick(random, 0, std::ssize(shape) - 1));
    const DType dtype = kAllDTypes[random() % 4];
    Block x = Block::any(dtype, shape, random), y = Block::scattered(dtype, shape, random);
    x.fill_normal(random, random() % 2 == 0 ? 1 : 30);
    for (const SoftmaxKind kind : {SoftmaxKind::softmax, SoftmaxKind::log_softmax}) {
      run(kind, x, static_cast<int64_t>(axis), y);
      check(kind, x, axis, y, "seed " + std::to_string(seed));
    }
  }
}

TEST(Softmax, SpecialValuesStayInTheirRow) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const int64_t n : {1, 5, 16, 37}) {
      for (const double special : {std::nan(""), kInfinity, -kInfinity}) {
        for (const SoftmaxKind kind : {SoftmaxKind::softmax, SoftmaxKind::log_softmax}) {
          Block x(dtype, {3, n}), y(dtype, {3, n});
          x.fill([] { return 1; });
          x.set({1, n / 2}, special);
          for (int64_t j = 0; j < n; ++j) x.set({2, j}, -kInfinity);
          run(kind, x, 1, y);
          check(kind, x, 1, y, std::string(short_name(dtype)));
          const bool finite = n > 1 && special == -kInfinity;
          for (int64_t j = 0; j < n; ++j) {
            EXPECT_FALSE(std::isnan(y.at({0, j})));
            EXPECT_EQ(std::isnan(y.at({1, j})), !finite);
            EXPECT_TRUE(std::isnan(y.at({2, j})));
          }
        }
      }
    }
  }
}

TEST(Softmax, LargeScoresDoNotOverflow) {
  Block x(DType::f16, {1, 3}), y(DType::f16, {1, 3});
  x.set({0, 0}, 65504);
  x.set({0, 1}, 65504);
  x.set({0, 2}, -65504);
  run(SoftmaxKind::softmax, x, 1, y);
  EXPECT_EQ(y.at({0, 0}), 0.5);
  EXPECT_EQ(y.at({0, 2}), 0);
}

}  // namespace
}  // namespace einsummable::cpu
