// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/placement.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/physical/preamble.h"
#include "einsummable/synthesis/placement.h"

namespace einsummable {
namespace {

// Bytes of `box` that each site holds: complete, or as a partial result.
std::vector<int64_t> resident_bytes(const Graph& graph, TensorId tensor, const Holdings& holdings,
                                    const Box& box, int64_t sites) {
  std::vector<int64_t> bytes(static_cast<size_t>(sites), 0);
  const int64_t size = size_of(graph.type(tensor).dtype);
  const auto count = [&](SiteId site, const Box& held) {
    int64_t& most = bytes[site.index()];
    most = std::max(most, checked_multiply(elements(intersect(box, held)), size));
  };
  for (const Resident& resident : holdings.complete(tensor)) count(resident.site, resident.box);
  for (size_t b = 0; b < holdings.blocks(tensor).size(); ++b) {
    if (holdings.partial_sites(tensor, b).size() == 1) continue;
    for (SiteId site : holdings.partial_sites(tensor, b)) {
      count(site, holdings.blocks(tensor)[b].box);
    }
  }
  return bytes;
}

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
  // Of equal placements the one with cell i on site i: a bonus of one byte, everything else doubled
  // often enough to outweigh all of them.
  for (int64_t& bytes : gain) bytes = checked_multiply(bytes, cells + 1);
  for (int64_t cell = 0; cell < cells; ++cell) ++gain[static_cast<size_t>(cell * sites + cell)];
  return synthesis::place(cells, sites, gain);
}

}  // namespace einsummable
