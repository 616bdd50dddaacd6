// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace einsummable {

// A run that repeats: positions [first, first + period * count) are `count` times the same.
struct Repetition {
  size_t first = 0, period = 0, count = 0;

  size_t end() const { return first + period * count; }
  bool operator==(const Repetition&) const = default;
};

// The longest repetition of at least three periods; of equally long ones that of the shortest
// period, then the first. None if nothing repeats so often. Takes time n * n at most.
//   7 1 2 1 2 1 2 9: first 1, period 2, count 3
std::optional<Repetition> find_repetition(std::span<const int64_t> kinds);

}  // namespace einsummable
