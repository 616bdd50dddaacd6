// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/exchange/bounds_demand.h"
#include "einsummable/exchange/bounds_places.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

// The least T such that flows serve every demand and no resource carries more than its capacity
// times T. Flows are sums of transfers: what a demand's transfers must satisfy, whatever the
// program, the flows must satisfy.
//
// * A demand with one source or one sink: what its transfers carry over each cut that parts some
//   holder from a place that wants it is at least its size. With these alone the bound is exact for
//   flows (several sources or sinks of one demand make it a bound on trees).
// * A sum wanted at several places: each byte of it can first be formed at some place r. What is
//   sent for that (x) crosses each cut from a holder to r. Each other place that wants it is
//   entered once more by what is not sent for that (y), and x + y cross each cut from a holder to a
//   place that wants it.
struct FlowBound {
  double ms = 0;
  bool exact = true;  // every demand has one source or one sink
  // Of the first demand that is a sum wanted at several places: the share of each place as r.
  int32_t finished = -1;  // which demand
  std::vector<double> first;
};

struct FlowLimits {
  int32_t places = 12;
  int64_t columns = 8'000;
  int32_t rounds = 60;
  double enough_ms = 0;  // stop where the bound is seen to reach it
};

// None where there is more than the limits allow, or a demand says not where it must come to.
std::optional<FlowBound> flow_bound(const Places& places, const Topology& topology,
                                    std::span<const Demand> demands, const FlowLimits& limits);

}  // namespace einsummable::exchange
