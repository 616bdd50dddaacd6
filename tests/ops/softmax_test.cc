// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Softmax, NormalisesOneAxisAndNeverCutsIt) {
  const auto op = operator_of("softmax", {f32({2, 3, 4})}, {{"axis", int64_t{-2}}});
  EXPECT_EQ(text(op->signatures()[0]), "batch0 batch1* batch2 -> batch0 batch1* batch2");
  Random random(1);
  const Array64 y = whole_reference(*op, {random_reals(random, {2, 3, 4})})[0];
  for (int64_t i : {0, 1}) {
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(y.at({i, 0, j}) + y.at({i, 1, j}) + y.at({i, 2, j}), 1, 1e-15);
    }
  }
}

TEST(Softmax, DoesNotOverflow) {
  const auto op = operator_of("softmax", {f32({2})});
  EXPECT_EQ(whole_reference(*op, {array({2}, {1000, 1000})})[0].values(),
            (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(whole_reference(*op, {array({2}, {5, -kInfinity})})[0].values(),
            (std::vector<double>{1, 0}));
}

TEST(Softmax, SpoiltLinesAreNaN) {
  for (const char* name : {"softmax", "log_softmax"}) {
    const auto op = operator_of(name, {f32({2})});
    for (const std::vector<double>& line : {std::vector<double>{1, std::nan("")},
                                            {std::nan(""), 1},
                                            {kInfinity, 1},
                                            {-kInfinity, -kInfinity}}) {
      const Array64 y = whole_reference(*op, {array({2}, line)})[0];
      for (double value : y.values()) {
        EXPECT_TRUE(std::isnan(value)) << name;
      }
    }
  }
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmax) {
  Random random(1);
  const Array64 x = random_reals(random, {3, 5});
  const Attributes axis = {{"axis", int64_t{0}}};
  const Array64 y = whole_reference(*operator_of("softmax", {f32({3, 5})}, axis), {x})[0];
  const Array64 log = whole_reference(*operator_of("log_softmax", {f32({3, 5})}, axis), {x})[0];
  for (size_t i = 0; i < 15; ++i) EXPECT_NEAR(log.values()[i], std::log(y.values()[i]), 1e-14);
}

TEST(Softmax, SaysWhatWouldBeLegal) {
  EXPECT_EQ(refusal("softmax", {f32({2, 3})}, {{"axis", int64_t{2}}}),
            "axis 2 must be at least -2 and less than 2");
  EXPECT_EQ(refusal("log_softmax", {f32({})}), "x needs at least one axis");
}

}  // namespace
}  // namespace einsummable
