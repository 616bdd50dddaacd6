// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include "einsummable/ops/operator.h"

#include "einsummable/spec/join_agg_spec.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// Seconds of a cell's arithmetic alone, at the rate that the machine reaches at the cell's shape; 0
// where the device states no rate for its dtype.
double arithmetic_seconds(const Operator& op, const FunctionSpec& cell, const Topology& topology,
                          const Device& device);

// Seconds from when all cells of an operator may start until the last has ended, cell i on site i.
// A cell takes its latency, then the longer of its arithmetic and of reading and writing its blocks
// once, float sums in `partial_dtype` if there is one. Sites that share a device, or the machine's
// workers, take turns.
//   8 cells of 1 ms on 8 devices: 1 ms; on a machine of 2 workers: 4 ms
double kernel_seconds(const Operator& op, const JoinAggSpec& spec, const Topology& topology,
                      std::optional<DType> partial_dtype = {});

}  // namespace einsummable
