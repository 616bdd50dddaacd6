// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace einsummable::exchange {

// What a check may spend. Programs come from outside, and exact cover is hard, so both are finite;
// when either is spent the verdict is "too hard". A node is a state of an exact-cover search, a
// step about one memory access elsewhere.
struct Budget {
  int64_t nodes = 1'000'000;
  int64_t steps = 400'000'000;

  // Whether there was as much left.
  bool spend_steps(int64_t n) { return (steps -= n) >= 0; }
  bool spend_nodes(int64_t n) { return (nodes -= n) >= 0; }
  bool spent() const { return nodes < 0 || steps < 0; }
};

struct Cover {
  enum class Outcome { none, found, too_hard };
  Outcome outcome = Outcome::none;
  std::vector<int32_t> sets = {};  // which sets, in the order of their least elements
};

// The fewest of `sets` that partition 0 .. elements - 1. Each set lists its elements in order.
// Among several such covers: for the least element not yet covered the earliest set, and so on.
//
//     fewest_cover(3, {{0}, {0, 1}, {1, 2}, {2}}) takes {0}, {1, 2}
Cover fewest_cover(int32_t elements, std::span<const std::vector<int32_t>> sets, Budget& budget);

}  // namespace einsummable::exchange
