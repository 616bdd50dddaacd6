// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/interruption.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

TEST(Interruption, StopsTheWorkOnceAskedFor) {
  bool stop = false;
  int asked = 0;
  const Interruption interruption([&] {
    ++asked;
    return stop;
  });
  for (int i = 0; i < 1000; ++i) interruption.check();
  EXPECT_GE(asked, 1);
  EXPECT_LT(asked, 1000);
  stop = true;
  EXPECT_THROW(while (true) interruption.check(), Error);
}

TEST(Interruption, NeverStopsWorkThatNobodyInterrupts) { Interruption().check(); }

}  // namespace
}  // namespace einsummable
