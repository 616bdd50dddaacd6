// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/physical/holdings.h"

namespace einsummable {

// What the cells of an operator need of one input: the block of every cell, at its site; empty
// blocks left out.
std::vector<Resident> needs(const JoinAggSpec& spec, size_t input, std::span<const SiteId> sites);

// Writes the preamble of a step's program from its regions (Section 5.3, Example 5.4), and sets the
// regions' atoms. GPUS are sites 0 to p - 1. IN has one atom a partial, named t<tensor>.<region> or
// t<tensor>.<region>.<partial>, at the site that holds it, cut in grains that are slices of its
// boxes
// (`grain_elements`), and complete regions where they are from before; OUT requires each complete
// region where it is needed.
void write_preamble(const PhysicalPlan& plan, const Holdings& holdings, ExchangeStep& step);

}  // namespace einsummable
