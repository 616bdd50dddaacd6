// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(Rope, TurnsPairsByPositionTimesFrequency) {
  Random random(1);
  const Array64 x = random_reals(random, {2, 3, 8});
  const std::vector<double> positions = {0, 7, 1000};
  for (bool interleaved : {false, true}) {
    const auto op = operator_of("rope", {f32({2, 3, 8}), i32({3})},
                                {{"theta", 500.0}, {"interleaved", interleaved}});
    const Array64 y = whole_reference(*op, {x, array({3}, positions)})[0];
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + 4;
      for (int64_t s = 0; s < 3; ++s) {
        const double angle = positions[static_cast<size_t>(s)] / std::pow(500.0, i / 4.0);
        const auto turned = std::complex(x.at({1, s, a}), x.at({1, s, b})) * std::polar(1.0, angle);
        EXPECT_NEAR(y.at({1, s, a}), turned.real(), 1e-12);
        EXPECT_NEAR(y.at({1, s, b}), turned.imag(), 1e-12);
      }
    }
  }
}

TEST(Rope, CutsRowsAndTheirPositionsTogether) {
  const auto op = operator_of("rope", {f32({4, 6, 8}), i32({6})});
  EXPECT_EQ(text(op->signatures()[0]), "batch0 s d*, s -> batch0 s d*");
}

TEST(Rope, SaysWhatWouldBeLegal) {
  EXPECT_EQ(refusal("rope", {f32({6, 7}), i32({6})}), "the last extent of x (7) must be even");
  EXPECT_EQ(refusal("rope", {f32({6}), i32({6})}), "x needs at least two axes: [..., s, d]");
  EXPECT_EQ(refusal("rope", {f32({6, 8}), f32({6})}), "positions must be int32 or int64");
  EXPECT_EQ(refusal("rope", {f32({6, 8}), i32({5})}),
            "positions must be [6], the next to last extent of x");
  EXPECT_EQ(refusal("rope", {f32({6, 8}), i32({6})}, {{"theta", 0.0}}),
            "theta must be finite and positive");
}

}  // namespace
}  // namespace einsummable
