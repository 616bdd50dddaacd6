// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/error.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace einsummable {
namespace {

static_assert(std::is_base_of_v<Error, GraphError> && std::is_base_of_v<Error, PlanError> &&
              std::is_base_of_v<Error, ExchangeError> && std::is_base_of_v<Error, TopologyError> &&
              std::is_base_of_v<Error, MemoryLimitError> && std::is_base_of_v<Error, DeviceError> &&
              std::is_base_of_v<Error, InputError> && !std::is_base_of_v<Error, InternalError>);

TEST(Error, EnsureNamesTheBrokenConditionAndItsPlace) {
  ensure(true, "holds");
  const int line = __LINE__ + 2;
  try {
    ensure(false, "two is three");
    FAIL() << "a broken condition passed";
  } catch (const InternalError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("internal error: two is three (")) << message;
    EXPECT_TRUE(message.ends_with("error_test.cc:" + std::to_string(line) + ")")) << message;
  }
}

}  // namespace
}  // namespace einsummable
