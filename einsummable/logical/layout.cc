// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/layout.h"

#include <algorithm>
#include <map>

namespace einsummable {
namespace {

Layout layout_of(const JoinAggSpec& spec, const OperandMap& operand,
                 std::span<const int32_t> sites) {
  Layout layout;
  std::map<Box, size_t> known;
  for (int64_t cell = 0; cell < spec.cells(); ++cell) {
    Box box = operand(spec.intervals(cell));
    if (empty(box)) continue;
    const auto [place, added] = known.try_emplace(box, layout.blocks.size());
    if (added) layout.blocks.push_back({std::move(box), {}});
    layout.blocks[place->second].sites.push_back(sites.empty() ? static_cast<int32_t>(cell)
                                                               : sites[static_cast<size_t>(cell)]);
  }
  if (sites.empty()) return layout;
  for (Layout::Block& block : layout.blocks) std::ranges::sort(block.sites);
  std::ranges::sort(layout.blocks, {},
                    [](const Layout::Block& block) { return block.sites.front(); });
  return layout;
}

}  // namespace

Layout made_layout(const JoinAggSpec& spec, size_t output, std::span<const int32_t> sites) {
  Layout layout = layout_of(spec, spec.signature().outputs[output], sites);
  layout.partial = spec.partials(output) > 1;
  return layout;
}

Layout needed_layout(const JoinAggSpec& spec, size_t input, std::span<const int32_t> sites) {
  return layout_of(spec, spec.signature().inputs[input], sites);
}

size_t LayoutTable::Hash::operator()(const Layout& layout) const {
  size_t hash = layout.partial ? 1 : 0;
  const auto mix = [&](int64_t value) {
    hash = (hash ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (const Layout::Block& block : layout.blocks) {
    for (Interval side : block.box) {
      mix(side.lo);
      mix(side.hi);
    }
    for (int32_t site : block.sites) mix(site);
  }
  return hash;
}

LayoutId LayoutTable::intern(Layout layout) {
  const auto [place, added] = ids_.try_emplace(std::move(layout));
  if (added) {
    place->second = LayoutId(static_cast<int64_t>(layouts_.size()));
    layouts_.push_back(&place->first);
  }
  return place->second;
}

}  // namespace einsummable
