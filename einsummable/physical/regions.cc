// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/regions.h"

#include <map>
#include <tuple>
#include <utility>

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

// The grid of the overlay: along each axis the sorted bounds of all boxes. A cell is a position on
// every axis; cells are numbered row-major.
class Grid {
 public:
  explicit Grid(size_t rank) : bounds_(rank) {}

  void add(const Box& box) {
    for (size_t i = 0; i < bounds_.size(); ++i) {
      bounds_[i].push_back(box[i].lo);
      bounds_[i].push_back(box[i].hi);
    }
  }

  void close() {
    for (auto& axis : bounds_) {
      std::ranges::sort(axis);
      axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
      extents_.push_back(static_cast<int64_t>(axis.size()) - 1);
    }
  }

  int64_t cells() const { return checked_product(extents_); }

  Box box(int64_t cell) const {
    Box out(bounds_.size());
    for (size_t i = bounds_.size(); i-- > 0;) {
      const auto at = static_cast<size_t>(cell % extents_[i]);
      out[i] = {bounds_[i][at], bounds_[i][at + 1]};
      cell /= extents_[i];
    }
    return out;
  }

  // Calls `visit(cell)` for each cell inside `box`, whose bounds are bounds of the grid.
  template <class Visit>
  void for_each_cell(const Box& box, const Visit& visit) const {
    Box range(box.size());
    for (size_t i = 0; i < box.size(); ++i) {
      range[i] = {std::ranges::lower_bound(bounds_[i], box[i].lo) - bounds_[i].begin(),
                  std::ranges::lower_bound(bounds_[i], box[i].hi) - bounds_[i].begin()};
    }
    for_each_position(range, [&](std::span<const int64_t> position) {
      int64_t cell = 0;
      for (size_t i = 0; i < position.size(); ++i) cell = cell * extents_[i] + position[i];
      visit(static_cast<size_t>(cell));
    });
  }

 private:
  std::vector<std::vector<int64_t>> bounds_;
  Shape extents_;
};

struct CellSites {
  int64_t block = -1;
  std::vector<size_t> holders;  // positions in the tensor's complete boxes
  std::vector<SiteId> formed, required;
};

// Joins boxes that follow one another along an axis and agree on all others, axis after axis from
// the last on.
std::vector<Box> joined(std::vector<Box> boxes) {
  const size_t rank = boxes.front().size();
  for (size_t axis = rank; axis-- > 0 && boxes.size() > 1;) {
    std::map<Box, std::vector<Interval>> runs;
    for (Box& box : boxes) {
      const Interval along = std::exchange(box[axis], Interval{});
      std::vector<Interval>& run = runs[box];
      if (!run.empty() && run.back().hi == along.lo) {
        run.back().hi = along.hi;
      } else {
        run.push_back(along);
      }
    }
    boxes.clear();
    for (auto& [box, run] : runs) {
      for (Interval along : run) {
        boxes.push_back(box);
        boxes.back()[axis] = along;
      }
    }
    std::ranges::sort(boxes);
  }
  return boxes;
}

void add_site(std::vector<SiteId>& sites, SiteId site) {
  const auto place = std::ranges::lower_bound(sites, site);
  if (place == sites.end() || *place != site) sites.insert(place, site);
}

}  // namespace

std::vector<Region> regions_to_move(TensorId tensor, const Holdings& holdings,
                                    std::span<const Resident> needed) {
  std::vector<Resident> missing;
  for (const Resident& need : needed) {
    if (!holdings.holds(tensor, need.site, need.box)) missing.push_back(need);
  }
  if (missing.empty()) return {};

  const std::vector<ProducedBlock>& blocks = holdings.blocks(tensor);
  Grid grid(blocks.front().box.size());
  for (const ProducedBlock& block : blocks) grid.add(block.box);
  for (const Resident& held : holdings.complete(tensor)) grid.add(held.box);
  for (const Resident& need : missing) grid.add(need.box);
  grid.close();

  std::vector<CellSites> cells(static_cast<size_t>(grid.cells()));
  for (size_t b = 0; b < blocks.size(); ++b) {
    grid.for_each_cell(blocks[b].box,
                       [&](size_t cell) { cells[cell].block = static_cast<int64_t>(b); });
  }
  const std::vector<Resident>& complete = holdings.complete(tensor);
  for (size_t h = 0; h < complete.size(); ++h) {
    grid.for_each_cell(complete[h].box, [&](size_t cell) {
      cells[cell].holders.push_back(h);
      add_site(cells[cell].formed, complete[h].site);
    });
  }
  for (const Resident& need : missing) {
    grid.for_each_cell(need.box, [&](size_t cell) {
      if (!std::ranges::binary_search(cells[cell].formed, need.site)) {
        add_site(cells[cell].required, need.site);
      }
    });
  }

  // By the held boxes themselves, not by their sites: a region lies inside each box that holds it.
  using Key = std::tuple<int64_t, std::vector<size_t>, std::vector<SiteId>>;
  std::map<Key, size_t> positions;
  std::vector<Region> regions;
  for (size_t c = 0; c < cells.size(); ++c) {
    CellSites& cell = cells[c];
    if (cell.required.empty()) continue;
    const auto [place, added] =
        positions.try_emplace(Key(cell.block, cell.holders, cell.required), regions.size());
    if (added) {
      regions.push_back({.tensor = tensor,
                         .block = cell.block,
                         .boxes = {},
                         .atoms = {},
                         .formed = std::move(cell.formed),
                         .required = std::move(cell.required),
                         .complete = {}});
    }
    regions[place->second].boxes.push_back(grid.box(static_cast<int64_t>(c)));
  }
  for (Region& region : regions) region.boxes = joined(std::move(region.boxes));
  return regions;
}

}  // namespace einsummable
