// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

using Reals = std::vector<double>;

TEST(Iota, CountsAlongAnAxis) {
  const auto op = operator_of("iota", {}, {{"shape", Integers{2, 3}}, {"axis", int64_t{0}}});
  EXPECT_EQ(whole_reference(*op, {})[0].values(), (Reals{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(op->outputs()[0].dtype, DType::i64);
  EXPECT_EQ(refusal("iota", {}, {{"shape", Integers{}}}), "the shape must have at least one axis");
  EXPECT_EQ(refusal("iota", {}, {{"shape", Integers{2}}, {"dtype", DType::boolean}}),
            "positions are numbers; the dtype must not be bool");
  EXPECT_EQ(refusal("iota", {}, {{"shape", Integers{2}}, {"axis", int64_t{1}}}),
            "axis 1 must be at least -1 and less than 1");
}

}  // namespace
}  // namespace einsummable
