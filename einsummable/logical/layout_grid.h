// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "einsummable/logical/layout.h"

namespace einsummable {

// A layout in which no site has two blocks, as a grid: which blocks meet follows from the axes.
struct LayoutGrid {
  std::vector<int32_t> axes;      // ids of their intervals in an AxisTable
  std::vector<int32_t> block_at;  // of each combination of intervals, row-major; -1: no block
  std::vector<int32_t> block_of;  // of each site up to the last that has one, or -1
  std::vector<Box> boxes;         // of each block
  std::vector<double> elements;   // of each block
  std::vector<int32_t> copies;    // how many sites have each block
  bool partial = false;
  bool disjoint = true;  // along every axis, so that no two blocks meet
  // Whether the blocks tile this box, each at as many sites.
  bool even = true;
  Box bounds;

  size_t blocks() const { return boxes.size(); }
};

// Which intervals along an axis meet which others.
struct Meeting {
  // Intervals whose common part with one of the others is the same.
  struct Alike {
    size_t begin = 0, end = 0;  // in `intervals`
    double length = 0;          // of the common part
  };

  size_t intervals_from = 0, intervals_to = 0;  // how many there are
  std::vector<size_t> first;                    // in `alike`, of each interval; and the end
  std::vector<Alike> alike;                     // of each interval in turn
  std::vector<size_t> intervals;                // positions among those that are met
};

// The lists of intervals along axes, each kept once, and how they meet, found once.
class AxisTable {
 public:
  // Nothing for a layout with a site of several blocks, or none, or whose blocks are few of very
  // many combinations.
  std::optional<LayoutGrid> grid_of(const Layout& layout);

  const Meeting& meeting(int32_t from, int32_t to);

 private:
  int32_t intern(std::vector<Interval> intervals);

  std::map<std::vector<Interval>, int32_t> ids_;
  std::vector<const std::vector<Interval>*> axes_;  // keys of ids_
  std::vector<std::vector<Meeting>> meetings_;      // by `from` and `to`; empty: not found yet
};

}  // namespace einsummable
