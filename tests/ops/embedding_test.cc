// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Reals = std::vector<double>;

TEST(Embedding, AddsRowsOfPartsOfTheVocabulary) {
  const auto op = operator_of("embedding", {f32({5, 2}), i32({3})});
  EXPECT_EQ(text(op->signatures()[0]), "v i1, i0 -> i0 i1");
  const FunctionSpec cell{{{{2, 5}, {0, 2}}, {{0, 3}}}, {{{0, 3}, {0, 2}}}};
  const auto part = partials_of(
      *op, cell, {array({5, 2}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5}), array({3}, {1, 4, 2})});
  EXPECT_EQ(part[0].values(), (Reals{0, 0, 5, 5, 3, 3}));
}

TEST(Embedding, NamesAnIdOutOfRange) {
  const auto op = operator_of("embedding", {f32({5}), i32({2, 2})});
  // Every cell sees it, also one that has another part of the vocabulary.
  for (double id : {-1.0, 5.0}) {
    for (Interval rows : {Interval{0, 2}, Interval{2, 5}}) {
      const FunctionSpec cell{{{rows}, {{0, 2}, {0, 2}}}, {{{0, 2}, {0, 2}}}};
      try {
        partials_of(*op, cell, {array({5}, {1, 2, 3, 4, 5}), array({2, 2}, {0, 1, id, 1})});
        ADD_FAILURE() << "no error";
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(),
                  "the id " + std::to_string(static_cast<int>(id)) +
                      " at position [1, 0] is out of range: the table has rows 0 to 4");
      }
    }
  }
}

TEST(Embedding, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal("embedding", {f32({5, 2}), f32({2})}),
            "ids must be int32 or int64; it is float32");
  EXPECT_EQ(refusal("embedding", {f32({}), i32({2})}), "table must have an axis of rows");
}

}  // namespace
}  // namespace einsummable
