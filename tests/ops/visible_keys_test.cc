// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/visible_keys.h"

#include "einsummable/ops/operator.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

TEST(VisibleKeys, CausalRowsAreAlignedAtTheEnd) {
  const VisibleKeys longer{.causal = true, .rows = 2, .keys = 5};
  EXPECT_EQ(longer.of_row(0), (Interval{0, 4}));
  EXPECT_EQ(longer.of_row(1), (Interval{0, 5}));
  const VisibleKeys shorter{.causal = true, .rows = 5, .keys = 2};
  EXPECT_TRUE(shorter.of_row(2).empty());
  EXPECT_EQ(shorter.of_row(3), (Interval{0, 1}));
}

TEST(VisibleKeys, RowsSeeTheirOwnSequence) {
  const VisibleKeys packed{.ends = {3, 5}, .rows = 5, .keys = 5};
  EXPECT_EQ(packed.of_row(2), (Interval{0, 3}));
  EXPECT_EQ(packed.of_row(3), (Interval{3, 5}));
  const VisibleKeys causal{.ends = {3, 5}, .causal = true, .rows = 5, .keys = 5};
  EXPECT_EQ(causal.of_row(1), (Interval{0, 2}));
  EXPECT_EQ(causal.of_row(3), (Interval{3, 4}));
}

TEST(VisibleKeys, PairsOfABlockAreThoseThatItsRowsSee) {
  Random random(1);
  for (int round = 0; round < rounds(2000, 20000); ++round) {
    VisibleKeys visible{.causal = random() % 2 == 0};
    visible.rows = visible.keys = random_below(random, 12);
    if (random() % 2) {
      for (int64_t end = 1; end <= visible.rows; ++end) {
        if (end == visible.rows || random() % 3 == 0) visible.ends.push_back(end);
      }
    } else {
      visible.keys = random_below(random, 12);
    }
    const auto block = [&](int64_t extent) {
      const int64_t lo = random_below(random, extent + 1);
      return Interval{lo, lo + random_below(random, extent - lo + 1)};
    };
    const Interval rows = block(visible.rows), keys = block(visible.keys);
    double pairs = 0;
    for (int64_t row = rows.lo; row < rows.hi; ++row) {
      const Interval seen = visible.of_row(row);
      for (int64_t key = keys.lo; key < keys.hi; ++key) pairs += seen.lo <= key && key < seen.hi;
    }
    EXPECT_EQ(visible.pairs(rows, keys), pairs);
  }
}

}  // namespace
}  // namespace einsummable
