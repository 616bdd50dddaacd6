// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/whole_reference.h"

#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(WholeReference, FinishesWhatThePartialsHold) {
  const auto mean = operator_of("mean", {f32({4})});
  const Array64 x = array({4}, {1, 2, 3, 4});
  EXPECT_EQ(whole_partials(*mean, {x})[0][0].values(), (std::vector<double>{10}));
  EXPECT_EQ(whole_reference(*mean, {x})[0].values(), (std::vector<double>{2.5}));
}

TEST(WholeReference, GivesEveryComponentOfEveryOutput) {
  const TensorType qkv = f32({2, 3, 4});
  const auto attention = operator_of("attention", {qkv, qkv, qkv}, {{"return_lse", true}});
  const Array64 x(box_of(Shape{2, 3, 4}), 1);
  const auto partials = whole_partials(*attention, {x, x, x});
  ASSERT_EQ(partials.size(), 2u);
  ASSERT_EQ(partials[0].size(), 2u);
  EXPECT_EQ(partials[0][1].values(), partials[1][0].values());
  EXPECT_EQ(whole_reference(*attention, {x, x, x})[0].values(), x.values());
}

}  // namespace
}  // namespace einsummable
