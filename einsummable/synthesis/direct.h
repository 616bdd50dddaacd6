// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "einsummable/synthesis/packing.h"

namespace einsummable::synthesis {

// For sizes so small that latencies count: each commodity whole on the tree of the fastest ways, as
// if it were alone, gathered where the last target has it soonest; roots take turns where that is
// the same. None if some commodity has no way.
std::optional<Packing> fastest_ways(const Network& network, std::span<const Commodity> commodities);

// The same commodities where each target of a sum is a commodity of its own: every part goes to
// every target. None if there is no such sum, or if it takes more than a few thousand transfers.
std::optional<std::vector<Commodity>> summed_at_targets(std::span<const Commodity> commodities);

// Each part straight to where its sum is needed.
std::optional<Packing> straight(const Network& network, std::span<const Commodity> commodities);

}  // namespace einsummable::synthesis
