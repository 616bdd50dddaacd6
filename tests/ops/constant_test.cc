// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

using Reals = std::vector<double>;

TEST(Constant, HoldsItsValues) {
  const auto op =
      operator_of("constant", {}, {{"shape", Integers{2, 2}}, {"values", Reals{1, 2, 3, 4}}});
  EXPECT_EQ(whole_reference(*op, {})[0].values(), (Reals{1, 2, 3, 4}));
  const auto one = operator_of("constant", {}, {{"shape", Integers{9, 9}}, {"values", Reals{2}}});
  EXPECT_EQ(whole_reference(*one, {})[0].values(), Reals(81, 2));
  EXPECT_EQ(
      refusal("constant", {}, {{"shape", Integers{3}}, {"values", Reals{1, 2}}}),
      "the shape has 3 elements and 2 values are given; it takes one for each, or one for all");
  EXPECT_EQ(refusal("constant", {}, {{"shape", Integers{65}}, {"values", Reals(65, 0)}}),
            "a constant has at most 64 values; make it a parameter and load it");
  EXPECT_EQ(refusal("constant", {},
                    {{"shape", Integers{}}, {"values", Reals{2}}, {"dtype", DType::boolean}}),
            "the value 2.0 must be 0 or 1 of bool");
}

}  // namespace
}  // namespace einsummable
