// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/visible_keys.h"

namespace einsummable {
namespace {

// The sum of clamp(t, 0, n) over all integers t < x.
double clamped_sum(int64_t x, int64_t n) {
  if (x <= 0) return 0;
  const auto rising = static_cast<double>(std::min(x - 1, n));
  const auto flat = static_cast<double>(std::max<int64_t>(x - 1 - n, 0));
  return rising * (rising + 1) / 2 + flat * static_cast<double>(n);
}

}  // namespace

std::vector<int64_t> VisibleKeys::starts() const {
  std::vector<int64_t> starts = {0};
  for (size_t i = 0; i + 1 < ends.size(); ++i) starts.push_back(ends[i]);
  return starts;
}

Interval VisibleKeys::of_row(int64_t row) const {
  Interval seen = {0, keys};
  if (!ends.empty()) {
    const auto end = std::ranges::upper_bound(ends, row);
    seen = {end == ends.begin() ? 0 : *std::prev(end), *end};
  }
  if (causal) seen.hi = std::clamp(row + offset() + 1, seen.lo, seen.hi);
  return seen;
}

double VisibleKeys::pairs(Interval block_rows, Interval block_keys) const {
  const auto within = [&](Interval of_rows, Interval of_keys) {
    const Interval r = intersect(of_rows, block_rows), k = intersect(of_keys, block_keys);
    if (r.empty() || k.empty()) return 0.0;
    if (!causal) return static_cast<double>(r.length()) * static_cast<double>(k.length());
    const int64_t first = offset() + 1 - k.lo;  // row r sees r + first keys from k.lo on
    return clamped_sum(r.hi + first, k.length()) - clamped_sum(r.lo + first, k.length());
  };
  if (ends.empty()) return within({0, rows}, {0, keys});
  double pairs = 0;
  int64_t start = 0;
  for (int64_t end : ends) {
    pairs += within({start, end}, {start, end});
    start = end;
  }
  return pairs;
}

}  // namespace einsummable
