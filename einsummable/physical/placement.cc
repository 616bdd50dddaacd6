// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/placement.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/physical/preamble.h"
#include "einsummable/synthesis/placement.h"

namespace einsummable {
namespace {

// Elements that lie in any of the boxes.
int64_t elements_of_union(const std::vector<Box>& boxes) {
  if (boxes.size() == 1) return elements(boxes[0]);
  int64_t count = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    std::vector<Box> rest = {boxes[i]};
    for (size_t j = 0; j < i; ++j) subtract(rest, boxes[j]);
    for (const Box& box : rest) count = checked_add(count, elements(box));
  }
  return count;
}

// Bytes of `box` that each site holds: complete, or as a partial result.
std::vector<int64_t> resident_bytes(const Graph& graph, TensorId tensor, const Holdings& holdings,
                                    const Box& box, int64_t sites) {
  std::vector<std::vector<Box>> held(static_cast<size_t>(sites));
  const auto add = [&](SiteId site, const Box& there) {
    Box common = intersect(box, there);
    if (!empty(common)) held[site.index()].push_back(std::move(common));
  };
  for (const Resident& resident : holdings.complete(tensor)) add(resident.site, resident.box);
  for (size_t b = 0; b < holdings.blocks(tensor).size(); ++b) {
    if (holdings.partial_sites(tensor, b).size() == 1) continue;
    for (SiteId site : holdings.partial_sites(tensor, b)) add(site, holdings.blocks(tensor)[b].box);
  }
  const int64_t size = size_of(graph.type(tensor).dtype);
  std::vector<int64_t> bytes;
  for (const std::vector<Box>& boxes : held) {
    bytes.push_back(checked_multiply(elements_of_union(boxes), size));
  }
  return bytes;
}

// Gains that `synthesis::place` takes are below 2^53.
constexpr int64_t kMostGain = (int64_t{1} << 53) - 1;

}  // namespace

std::vector<SiteId> place(const Graph& graph, OpId op, const JoinAggSpec& spec,
                          const Holdings& holdings, int64_t sites) {
  const int64_t cells = spec.cells();
  ensure(cells <= sites, "an operator of more cells than sites");
  std::vector<int64_t> gain(static_cast<size_t>(checked_multiply(cells, sites)), 0);
  for (size_t k = 0; k < graph.op(op).inputs.size(); ++k) {
    std::map<Box, std::vector<int64_t>> of_box;
    for (int64_t cell = 0; cell < cells; ++cell) {
      const Box box = spec.signature().inputs[k](spec.intervals(cell));
      if (empty(box)) continue;
      auto [place, added] = of_box.try_emplace(box);
      if (added) {
        place->second = resident_bytes(graph, graph.op(op).inputs[k], holdings, box, sites);
      }
      for (int64_t site = 0; site < sites; ++site) {
        int64_t& total = gain[static_cast<size_t>(cell * sites + site)];
        total = checked_add(total, place->second[static_cast<size_t>(site)]);
      }
    }
  }
  // Of equal placements the one with cell i on site i: a bonus of one, everything else multiplied
  // so that it outweighs all of them. Petabytes are counted in units that leave room for that.
  const int64_t most = gain.empty() ? 0 : *std::ranges::max_element(gain);
  int64_t unit = 1;
  while (most / unit >= kMostGain / (cells + 1)) unit *= 2;
  for (int64_t& bytes : gain) bytes = bytes / unit * (cells + 1);
  for (int64_t cell = 0; cell < cells; ++cell) ++gain[static_cast<size_t>(cell * sites + cell)];
  return synthesis::place(cells, sites, gain);
}

}  // namespace einsummable
