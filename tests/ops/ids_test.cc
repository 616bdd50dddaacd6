// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/ids.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

TEST(Ids, NamesThePositionTheValueAndTheRange) {
  const int64_t position[] = {2, 0};
  EXPECT_NO_THROW(require_id(0, 3, position));
  EXPECT_NO_THROW(require_id(2, 3, position));
  for (int64_t id : {int64_t{-1}, int64_t{3}}) {
    try {
      require_id(id, 3, position);
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "the id " + std::to_string(id) +
                                  " at position [2, 0] is out of range: the table has rows 0 to 2");
    }
  }
}

TEST(Ids, AnEmptyTableHasNoRows) {
  try {
    require_id(0, 0, {});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the id 0 at position [] is out of range: the table has no rows");
  }
}

}  // namespace
}  // namespace einsummable
