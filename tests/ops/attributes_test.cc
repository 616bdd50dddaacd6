// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/attributes.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/base/syntax_error.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

TEST(Attributes, PrintAndParseBack) {
  const std::vector<std::pair<Attribute, AttributeKind>> values = {
      {true, AttributeKind::boolean},
      {false, AttributeKind::boolean},
      {int64_t{-3}, AttributeKind::integer},
      {1e-5, AttributeKind::real},
      {-0.1, AttributeKind::real},
      {std::string("i j, \"k\" -> k"), AttributeKind::string},
      {Integers{}, AttributeKind::integers},
      {Integers{3, -7}, AttributeKind::integers},
      {Reals{0.5, 2}, AttributeKind::reals},
      {DType::bf16, AttributeKind::dtype},
      {None{}, AttributeKind::integer},
  };
  for (const auto& [value, kind] : values) {
    const std::string printed = text(value);
    Lexer lexer(printed);
    EXPECT_EQ(parse_attribute(lexer, kind), value) << printed;
    EXPECT_TRUE(is_of(value, kind)) << printed;
  }
}

TEST(Attributes, OfAnotherKindAreNotRead) {
  const std::vector<std::pair<std::string, AttributeKind>> wrong = {
      {"maybe", AttributeKind::boolean},  {"x", AttributeKind::integer},
      {"[1, 2", AttributeKind::integers}, {"[1 2]", AttributeKind::integers},
      {"1", AttributeKind::string},       {"float8", AttributeKind::dtype},
      {"", AttributeKind::real},
  };
  for (const auto& [printed, kind] : wrong) {
    Lexer lexer(printed);
    EXPECT_THROW(parse_attribute(lexer, kind), SyntaxError) << printed;
  }
}

TEST(Attributes, KeepTheOrderTheyWereSetIn) {
  Attributes attributes{{"eps", 1e-5}, {"ends", None{}}};
  attributes.set("causal", true);
  attributes.set("eps", 0.5);
  EXPECT_EQ(text(attributes), "eps=0.5, causal=true");
  EXPECT_FALSE(attributes.has("ends"));
  EXPECT_TRUE(attributes.has("causal"));
  EXPECT_EQ(attributes.real("eps"), 0.5);
  EXPECT_THROW(attributes.integer("eps"), InternalError);
  EXPECT_THROW(attributes.integers("ends"), InternalError);
}

}  // namespace
}  // namespace einsummable
