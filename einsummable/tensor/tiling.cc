// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/tiling.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {

int64_t Tiling::blocks() const {
  int64_t count = 1;
  for (const auto& axis : axes) count = checked_multiply(count, static_cast<int64_t>(axis.size()));
  return count;
}

Tiling whole(const Box& bounds) {
  Tiling tiling;
  for (Interval axis : bounds) {
    tiling.axes.push_back(axis.empty() ? std::vector<Interval>{} : std::vector{axis});
  }
  return tiling;
}

bool tiles(const Tiling& tiling, const Box& bounds) {
  if (!tiling.product || tiling.axes.size() != bounds.size()) return false;
  for (size_t i = 0; i < bounds.size(); ++i) {
    int64_t reached = bounds[i].lo;
    for (Interval interval : tiling.axes[i]) {
      if (interval.lo != reached) return false;
      reached = interval.hi;
    }
    if (reached != bounds[i].hi) return false;
  }
  return true;
}

Tiling restrict_to(const Tiling& tiling, const Box& read) {
  Tiling out{.axes = {}, .product = tiling.product};
  for (size_t i = 0; i < read.size(); ++i) {
    std::vector<Interval> axis;
    for (Interval interval : tiling.axes[i]) {
      const Interval part = intersect(interval, read[i]);
      if (!part.empty()) axis.push_back(part);
    }
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    out.axes.push_back(std::move(axis));
  }
  return out;
}

Tiling overlay(const Tiling& a, const Tiling& b) {
  ensure(a.axes.size() == b.axes.size(), "overlay of tilings of different rank");
  Tiling out;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    std::vector<int64_t> bounds;
    for (const Tiling* tiling : {&a, &b}) {
      for (Interval interval : tiling->axes[i]) {
        bounds.push_back(interval.lo);
        bounds.push_back(interval.hi);
      }
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    std::vector<Interval> axis;
    for (size_t k = 1; k < bounds.size(); ++k) axis.push_back({bounds[k - 1], bounds[k]});
    out.axes.push_back(std::move(axis));
  }
  return out;
}

std::string text(const Tiling& tiling) {
  std::vector<std::string> axes;
  for (const auto& axis : tiling.axes) {
    std::vector<std::string> intervals;
    for (Interval interval : axis) {
      intervals.push_back(std::to_string(interval.lo) + ":" + std::to_string(interval.hi));
    }
    axes.push_back("{" + join(intervals, ", ") + "}");
  }
  return join(axes, " ") + (tiling.product ? "" : " (diagonal)");
}

TilingId TilingTable::intern(const Tiling& tiling) {
  if (!tiling.product) return kUnmatched;
  const auto [place, added] = ids_.try_emplace(tiling, TilingId(ids_.size()));
  if (added) tilings_.push_back(&place->first);
  return place->second;
}

size_t TilingTable::Hash::operator()(const Tiling& tiling) const {
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](int64_t value) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (const auto& axis : tiling.axes) {
    mix(-1);
    for (Interval interval : axis) {
      mix(interval.lo);
      mix(interval.hi);
    }
  }
  return hash;
}

}  // namespace einsummable
