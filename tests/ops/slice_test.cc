// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/operators.h"

namespace einsummable {
namespace {

using Integers = std::vector<int64_t>;

// The positions that start:stop:step selects, found one by one.
std::vector<double> selected(int64_t start, int64_t stop, int64_t step, int64_t n) {
  const int64_t first = start < 0 ? start + n : start, last = stop < 0 ? stop + n : stop;
  const int64_t begin = step > 0 ? std::max<int64_t>(first, 0) : std::min(first, n - 1);
  std::vector<double> out;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = step > 0 ? k : n - 1 - k;
    const bool reached = step > 0 ? begin <= i && i < last : last < i && i <= begin;
    if (reached && (i - begin) % step == 0) out.push_back(static_cast<double>(i));
  }
  return out;
}

TEST(Slice, SelectsAsNumPyDoes) {
  for (int64_t n : {0, 1, 5, 6}) {
    for (int64_t start = -8; start <= 8; ++start) {
      for (int64_t stop = -8; stop <= 8; ++stop) {
        for (int64_t step : {-7, -3, -2, -1, 1, 2, 3, 7}) {
          const Attributes attributes{
              {"starts", Integers{start}}, {"stops", Integers{stop}}, {"steps", Integers{step}}};
          EXPECT_EQ(applied("slice", {n}, attributes), selected(start, stop, step, n))
              << n << ": " << start << ":" << stop << ":" << step;
        }
      }
    }
  }
}

TEST(Slice, TakesExtremeBounds) {
  const Attributes backward{
      {"starts", Integers{INT64_MAX}}, {"stops", Integers{INT64_MIN}}, {"steps", Integers{-1}}};
  EXPECT_EQ(applied("slice", {3}, backward), (std::vector<double>{2, 1, 0}));
  const Attributes far{
      {"starts", Integers{-1}}, {"stops", Integers{INT64_MIN}}, {"steps", Integers{INT64_MIN}}};
  EXPECT_EQ(applied("slice", {3}, far), (std::vector<double>{2}));
}

TEST(Slice, RefusesStepZeroAndMissingAxes) {
  EXPECT_EQ(refusal("slice", {f32({4})},
                    {{"starts", Integers{0}}, {"stops", Integers{2}}, {"steps", Integers{0}}}),
            "the step of axis 0 is 0; it must not be");
  EXPECT_EQ(refusal("slice", {f32({4, 4})}, {{"starts", Integers{0}}, {"stops", Integers{2, 3}}}),
            "starts, stops and steps must have one entry for each of the 2 axes of x");
}

}  // namespace
}  // namespace einsummable
