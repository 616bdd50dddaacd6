// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/index.h"

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

// The work of rows (or keys) [0, rows) of a segment of `length`.
double within_segment(Work::Kind kind, int64_t offset, double rows, double length) {
  switch (kind) {
    case Work::Kind::length:
      return rows;
    case Work::Kind::segments:
      return rows * length;
    case Work::Kind::causal: {
      const double hidden = std::clamp(-static_cast<double>(offset), 0.0, rows);
      const double seeing = rows - hidden, first = 1 + static_cast<double>(offset) + hidden;
      return seeing * first + seeing * (seeing - 1) / 2;
    }
    case Work::Kind::causal_keys: {
      const double all_seen = std::clamp(static_cast<double>(offset), 0.0, rows);
      const double rest = rows - all_seen;
      return all_seen * (length - static_cast<double>(offset)) + rest * length -
             rest * (all_seen + rows - 1) / 2;
    }
  }
  throw InternalError("unknown kind of work");
}

// Groups the ends (or rows) greedily into at most `count` intervals of at most `limit` work each;
// every interval takes as much as it may, but leaves one candidate for each that follows.
std::optional<Cuts> fill(const Index& index, const std::vector<int64_t>& candidates, int64_t count,
                         double limit) {
  Cuts cuts = {0};
  size_t next = 0;
  for (int64_t part = 0; part < count; ++part) {
    const double start = index.work.before(cuts.back(), index.extent);
    const size_t reserved = static_cast<size_t>(count - part - 1);
    size_t end = next + 1;
    while (end + reserved < candidates.size() &&
           index.work.before(candidates[end], index.extent) - start <= limit) {
      ++end;
    }
    if (index.work.before(candidates[end - 1], index.extent) - start > limit) return std::nullopt;
    cuts.push_back(candidates[end - 1]);
    next = end;
  }
  if (cuts.back() != index.extent) return std::nullopt;
  return cuts;
}

// The contiguous grouping of `candidates` (rising, the last = extent) that makes the largest work
// of a group smallest.
std::optional<Cuts> balance(const Index& index, const std::vector<int64_t>& candidates,
                            int64_t count) {
  if (count > static_cast<int64_t>(candidates.size())) return std::nullopt;
  const double total = index.work.before(index.extent, index.extent);
  double low = total / static_cast<double>(count), high = total;
  std::optional<Cuts> best = fill(index, candidates, count, high);
  for (int step = 0; step < 60 && low < high; ++step) {
    const double middle = low + (high - low) / 2;
    if (auto cuts = fill(index, candidates, count, middle)) {
      best = std::move(cuts);
      high = middle;
    } else {
      low = middle;
    }
  }
  return best;
}

// Cut i where i/count of the work lies before, for an index that may be cut anywhere.
Cuts by_work(const Index& index, int64_t count) {
  const double total = index.work.before(index.extent, index.extent);
  Cuts cuts = {0};
  for (int64_t part = 1; part < count; ++part) {
    const double target = total * static_cast<double>(part) / static_cast<double>(count);
    int64_t low = cuts.back() + 1, high = index.extent - (count - part);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (index.work.before(middle, index.extent) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    cuts.push_back(low);
  }
  cuts.push_back(index.extent);
  return cuts;
}

}  // namespace

double Work::before(int64_t position, int64_t extent) const {
  if (kind == Kind::length) return static_cast<double>(position);
  double work = 0;
  int64_t start = 0;
  const auto add = [&](int64_t end) {
    const double rows = static_cast<double>(std::clamp(position, start, end) - start);
    work += within_segment(kind, offset, rows, static_cast<double>(end - start));
    start = end;
  };
  for (int64_t end : segments) {
    if (start >= position) break;
    add(end);
  }
  if (segments.empty()) add(extent);
  return work;
}

Cuts uncut(const Index& index) { return {0, index.extent}; }

bool is_legal(const Index& index, const Cuts& cuts) {
  if (cuts.size() < 2 || cuts.front() != 0 || cuts.back() != index.extent) return false;
  if (cuts.size() == 2) return true;
  if (index.cut == Index::Cut::never) return false;
  for (size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] <= cuts[i - 1]) return false;
    if (index.cut == Index::Cut::at_ends && !std::ranges::binary_search(index.ends, cuts[i])) {
      return false;
    }
  }
  return true;
}

std::optional<Cuts> near_equal(const Index& index, int64_t count) {
  if (count == 1) return uncut(index);
  if (count < 1 || count > index.extent || index.cut == Index::Cut::never) return std::nullopt;
  if (index.cut == Index::Cut::at_ends) return balance(index, index.ends, count);
  if (index.work.kind != Work::Kind::length) return by_work(index, count);
  Cuts cuts;
  for (int64_t i = 0; i <= count; ++i) {
    cuts.push_back(checked_multiply(index.extent / count, i) + index.extent % count * i / count);
  }
  return cuts;
}

std::optional<Cuts> carry(const Cuts& cuts, int64_t from_extent, const Index& to) {
  Cuts carried;
  for (int64_t position : cuts) {
    const auto scaled = try_multiply(position, to.extent);
    if (!scaled || (from_extent > 0 && *scaled % from_extent != 0)) return std::nullopt;
    carried.push_back(from_extent > 0 ? *scaled / from_extent : to.extent);
  }
  carried.front() = 0;
  if (!is_legal(to, carried)) return std::nullopt;
  return carried;
}

bool is_balanced(const Index& index, const Cuts& cuts) {
  const int64_t count = count_of(cuts);
  if (count == 1) return true;
  const double limit = index.work.before(index.extent, index.extent) * 2 /
                       static_cast<double>(count + 1) * (1 + 1e-12);
  for (int64_t part = 0; part < count; ++part) {
    const Interval interval = interval_of(cuts, part);
    const double work =
        index.work.before(interval.hi, index.extent) - index.work.before(interval.lo, index.extent);
    if (work > limit) return false;
  }
  return true;
}

}  // namespace einsummable
