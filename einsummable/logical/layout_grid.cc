// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/layout_grid.h"

#include <algorithm>

namespace einsummable {
namespace {

// The intervals of all blocks along one axis, each once.
std::vector<Interval> intervals_of(const Layout& layout, size_t axis) {
  std::vector<Interval> out;
  for (const Layout::Block& block : layout.blocks) out.push_back(block.box[axis]);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool disjoint(const std::vector<Interval>& rising) {
  return std::ranges::adjacent_find(rising, [](Interval a, Interval b) { return a.hi > b.lo; }) ==
         rising.end();
}

bool consecutive(const std::vector<Interval>& rising) {
  return std::ranges::adjacent_find(rising, [](Interval a, Interval b) { return a.hi != b.lo; }) ==
         rising.end();
}

// Gives every site its block; whether none has two.
bool give_blocks(const Layout& layout, std::vector<int32_t>& block_of) {
  for (size_t b = 0; b < layout.blocks.size(); ++b) {
    for (int32_t site : layout.blocks[b].sites) {
      const auto s = static_cast<size_t>(site);
      if (s >= block_of.size()) block_of.resize(s + 1, -1);
      if (block_of[s] >= 0) return false;
      block_of[s] = static_cast<int32_t>(b);
    }
  }
  return true;
}

Meeting meeting_of(const std::vector<Interval>& from, const std::vector<Interval>& to) {
  Meeting out;
  out.intervals_from = from.size();
  out.intervals_to = to.size();
  for (Interval own : from) {
    out.first.push_back(out.alike.size());
    std::map<Interval, std::vector<size_t>> by_common;
    for (size_t i = 0; i < to.size(); ++i) {
      const Interval common = intersect(own, to[i]);
      if (!common.empty()) by_common[common].push_back(i);
    }
    for (const auto& [common, intervals] : by_common) {
      const size_t begin = out.intervals.size();
      out.intervals.insert(out.intervals.end(), intervals.begin(), intervals.end());
      out.alike.push_back({begin, out.intervals.size(), static_cast<double>(common.length())});
    }
  }
  out.first.push_back(out.alike.size());
  return out;
}

}  // namespace

int32_t AxisTable::intern(std::vector<Interval> intervals) {
  const auto [place, added] =
      ids_.try_emplace(std::move(intervals), static_cast<int32_t>(axes_.size()));
  if (added) axes_.push_back(&place->first);
  return place->second;
}

std::optional<LayoutGrid> AxisTable::grid_of(const Layout& layout) {
  constexpr size_t most = 1 << 14;  // combinations
  LayoutGrid grid;
  grid.partial = layout.partial;
  if (layout.blocks.empty() || !give_blocks(layout, grid.block_of)) return std::nullopt;
  size_t combinations = 1;
  for (size_t axis = 0; axis < layout.blocks[0].box.size(); ++axis) {
    grid.axes.push_back(intern(intervals_of(layout, axis)));
    const std::vector<Interval>& along = *axes_[static_cast<size_t>(grid.axes.back())];
    grid.disjoint = grid.disjoint && disjoint(along);
    grid.even = grid.even && consecutive(along);
    grid.bounds.push_back({along.front().lo, along.back().hi});
    combinations *= along.size();
    if (combinations > most) return std::nullopt;
  }
  grid.block_at.assign(combinations, -1);
  for (const Layout::Block& block : layout.blocks) {
    size_t at = 0;
    for (size_t axis = 0; axis < grid.axes.size(); ++axis) {
      const std::vector<Interval>& along = *axes_[static_cast<size_t>(grid.axes[axis])];
      const auto place = std::ranges::lower_bound(along, block.box[axis]) - along.begin();
      at = at * along.size() + static_cast<size_t>(place);
    }
    grid.block_at[at] = static_cast<int32_t>(grid.blocks());
    grid.boxes.push_back(block.box);
    grid.elements.push_back(static_cast<double>(elements(block.box)));
    grid.copies.push_back(static_cast<int32_t>(block.sites.size()));
  }
  grid.even = grid.even && grid.blocks() == combinations &&
              std::ranges::adjacent_find(grid.copies, std::not_equal_to{}) == grid.copies.end();
  return grid;
}

const Meeting& AxisTable::meeting(int32_t from, int32_t to) {
  const auto f = static_cast<size_t>(from), t = static_cast<size_t>(to);
  if (meetings_.size() < axes_.size()) meetings_.resize(axes_.size());
  if (meetings_[f].size() < axes_.size()) meetings_[f].resize(axes_.size());
  Meeting& out = meetings_[f][t];
  if (out.first.empty()) out = meeting_of(*axes_[f], *axes_[t]);
  return out;
}

}  // namespace einsummable
