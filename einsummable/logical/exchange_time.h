// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "einsummable/logical/layout.h"
#include "einsummable/logical/switch_time.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// How long exchanges take on a topology, by a closed form that is quick enough to ask for every
// pair of layouts: the load of the busiest resource, where
//   - a complete block that several sites need is sent once to each of them, by the sites that have
//     it and those that come to have it, in equal shares;
//   - partial results of a block that q sites need are merged at those q sites, 1/q of it at each,
//     and then sent to the others;
//   - bytes between two sites take the cheapest way, over other sites where that is cheaper;
// and the latency of each step. A good exchange program comes near it; the naive one may not.
class ExchangeTime {
 public:
  explicit ExchangeTime(const Topology& topology);

  // Seconds until every site holds the blocks it needs; infinite where there is no way between two
  // sites that it needs.
  double seconds(const Layout& from, const Layout& to, const ElementBytes& bytes) const;

  // The same for layouts as grids; nothing where only the general way will do.
  std::optional<SwitchTime> as_switch() const;

 private:
  struct Way {
    std::vector<ResourceId> resources;  // of all hops
    double latency = 0;                 // seconds
    bool exists = false;
  };
  struct Load;

  using Sites = std::vector<int32_t>;  // rising

  const Way& way(int64_t from, int64_t to) const {
    return ways_[static_cast<size_t>(from * sites_ + to)];
  }
  void find_ways(const Topology& topology);
  void send(Load& load, const Sites& senders, const Sites& receivers, double bytes) const;
  void send_complete(Load& load, const Sites& holders, const Sites& receivers, double bytes) const;
  void merge_partials(Load& load, const Sites& holders, const Sites& needers, double elements,
                      const ElementBytes& bytes) const;
  double seconds_of(const Load& load) const;

  int64_t sites_;
  bool handover_;
  std::vector<double> seconds_a_byte_;  // of each resource
  std::vector<int32_t> device_of_;
  std::vector<double> hbm_seconds_a_byte_;  // of each device
  std::vector<double> kernel_latency_;      // seconds, of each device
  std::vector<Way> ways_;
};

}  // namespace einsummable
