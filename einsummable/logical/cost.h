// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace einsummable {

// What plans are compared by: additive, and ordered by `main` first. The other two decide between
// plans of equal `main`.
struct Cost {
  int64_t main = 0;          // what the objective counts; of the proxy, elements moved
  int64_t aggregations = 0;  // partials beyond the first, summed over output blocks
  int64_t replicated = 0;    // elements read beyond each input's own size

  constexpr auto operator<=>(const Cost&) const = default;
  constexpr Cost& operator+=(const Cost& other) {
    main += other.main;
    aggregations += other.aggregations;
    replicated += other.replicated;
    return *this;
  }
  constexpr Cost& operator-=(const Cost& other) {
    main -= other.main;
    aggregations -= other.aggregations;
    replicated -= other.replicated;
    return *this;
  }
  friend constexpr Cost operator+(Cost a, const Cost& b) { return a += b; }
  friend constexpr Cost operator-(Cost a, const Cost& b) { return a -= b; }
};

}  // namespace einsummable
