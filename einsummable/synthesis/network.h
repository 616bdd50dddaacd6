// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/program.h"
#include "einsummable/topology/topology.h"

namespace einsummable::synthesis {

// A topology as packing sees it: the sites of a program, and what has a rate. Rows are the
// resources of the topology, then the memories of its devices.
class Network {
 public:
  // The topology is kept by reference. Throws TopologyError if it lacks a site.
  Network(const Topology& topology, std::span<const exchange::SiteId> sites);

  const Topology& topology() const { return topology_; }
  int32_t sites() const { return static_cast<int32_t>(sites_.size()); }
  exchange::SiteId site(int32_t position) const { return sites_[static_cast<size_t>(position)]; }
  // Null if there is no way.
  const Route* route(int32_t from, int32_t to) const;
  // The rows that a byte passes through on its way; none where transfers move no bytes.
  std::span<const int32_t> rows(int32_t from, int32_t to) const;
  int32_t memory_row(int32_t site) const { return memory_rows_[static_cast<size_t>(site)]; }
  // The rate of each row, in bytes a millisecond.
  std::span<const double> rates() const { return rates_; }

 private:
  size_t pair(int32_t from, int32_t to) const {
    return static_cast<size_t>(from) * sites_.size() + static_cast<size_t>(to);
  }

  const Topology& topology_;
  std::vector<exchange::SiteId> sites_;
  std::vector<double> rates_;
  std::vector<int32_t> memory_rows_;
  std::vector<std::vector<int32_t>> rows_;  // of each pair
};

}  // namespace einsummable::synthesis
