// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

TEST(Registry, IsSortedCompleteAndSpeaksForItself) {
  std::string_view last;
  for (const OperatorInfo& info : operators()) {
    EXPECT_LT(last, info.name);
    last = info.name;
    EXPECT_EQ(find_operator(info.name), &info);
    EXPECT_FALSE(info.doc.empty());
    EXPECT_TRUE(info.make && info.sample);
    std::set<std::string_view> names;
    for (const InputInfo& input : info.inputs) EXPECT_TRUE(names.insert(input.name).second);
    for (const AttributeInfo& attribute : info.attributes) {
      EXPECT_TRUE(names.insert(attribute.name).second);
      EXPECT_TRUE(is_of(attribute.default_value, attribute.kind));
    }
  }
  for (std::string_view name : {"add", "matmul", "relu", "reshape", "where"}) {
    EXPECT_NE(find_operator(name), nullptr) << name;
  }
  EXPECT_EQ(find_operator("matmu"), nullptr);
}

TEST(Registry, ChecksNumbersNamesAndKinds) {
  EXPECT_EQ(refusal("matmul", {f32({2, 2})}), "takes 2 inputs, not 1");
  EXPECT_EQ(refusal("relu", {f32({2}), f32({2})}), "takes 1 input, not 2");
  EXPECT_EQ(refusal("concat", {}), "takes 1 or more inputs, not 0");
  EXPECT_EQ(refusal("iota", {f32({2})}), "takes 0 inputs, not 1");
  EXPECT_EQ(refusal("add", {f32({2}), f32({2})}, {{"a", 1.0}}),
            "has no attribute 'a'; it has none");
  EXPECT_EQ(refusal("pad", {f32({2})}, {{"mode", std::string("wrap")}}),
            "has no attribute 'mode'; it has before, after, value");
  EXPECT_EQ(refusal("reshape", {f32({2})}), "needs the attribute 'shape'");
  EXPECT_EQ(refusal("reshape", {f32({2})}, {{"shape", 2.0}}),
            "the attribute 'shape' must be a list of integers");
}

TEST(Registry, TakesAnIntegerForANumberOrAListOfOne) {
  EXPECT_EQ(operator_of("reshape", {f32({2, 1})}, {{"shape", int64_t{2}}})->outputs()[0], f32({2}));
  EXPECT_EQ(operator_of("relu", {f32({2})}, {{"a", int64_t{1}}})->attributes().real("a"), 1);
}

TEST(Registry, PromotesWhatIsNotTakenAsItIs) {
  const OperatorInfo& embedding = *find_operator("embedding");
  EXPECT_EQ(promoted_dtypes(embedding, std::vector{f32({5}), i32({2})}),
            (std::vector<DType>{DType::f32, DType::i32}));
  EXPECT_EQ(promoted_dtypes(*find_operator("iota"), {}), std::vector<DType>{});
}

}  // namespace
}  // namespace einsummable
