// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "einsummable/topology/topology.h"

namespace einsummable {

// A machine as its file describes it, table by table (docs/topology.md). Bandwidths are GB/s (1e9
// bytes), latencies microseconds, rates FLOP/s, memory bytes. resolve() makes the Topology that
// plans are timed on.
struct Machine {
  using Pair = std::pair<int64_t, int64_t>;

  // What every table has: where its figures come from, and where it stands (0: in no file).
  struct Table {
    std::string source = {};
    int line = 0;
  };

  // All sites are alike.
  struct Sites : Table {
    std::optional<int64_t> count = {};  // none: any number of them
    int64_t memory_bytes = 0;           // 0: not stated
    double hbm_gbps = 0;
    double kernel_latency_us = 0;
    std::map<std::string, double> flops = {};  // dtype -> FLOP/s, dense
  };

  struct Compute : Table {
    int64_t workers = 0;     // kernels that run at once over all sites; 0: one a site
    bool handover = false;   // sites share one memory: a transfer moves no bytes
    double handover_us = 0;  // what a transfer takes then
  };

  // A link of its own between the two sites of each pair.
  struct Link : Table {
    std::vector<Pair> pairs;
    double gbps = 0;  // each way
    double latency_us = 0;
    bool both = true;  // false: only from the first site of a pair to the second
  };

  // Every site of it reaches every other, as fast as the one sends and the other receives.
  struct Switch : Table {
    std::vector<int64_t> sites;  // empty: all
    double egress_gbps = 0, ingress_gbps = 0;
    double latency_us = 0;
  };

  // One medium that all transfers of its pairs share, both directions together.
  struct Bus : Table {
    std::string name;
    double gbps = 0;
    double latency_us = 0;
    bool unlinked = false;  // its pairs are those of a node without link, switch or other bus
    std::vector<Pair> pairs;
  };

  // Sites that reach those of other nodes over their NICs alone.
  struct Node : Table {
    std::vector<int64_t> sites;
  };

  struct Nic : Table {
    std::vector<int64_t> sites;  // empty: all
    bool shared = false;         // one NIC for all its sites; else each has one like it
    double egress_gbps = 0, ingress_gbps = 0;
    double latency_us = 0;
  };

  // The way from each site of `from` to each other one of `to`, where it is not the usual one.
  struct Way : Table {
    std::vector<int64_t> from, to;
    std::vector<std::string> via;           // "egress", "link 0->4", "bus upi", "nic out 3", ...
    std::optional<double> latency_us = {};  // none: the sum over what it goes through
    bool both = false;                      // also the way back, through the same reversed
  };

  struct Fraction : Table {
    Efficiency efficiency;
  };

  std::string name;
  std::string source;
  Sites sites;
  std::optional<Compute> compute;
  std::vector<Link> links;
  std::vector<Switch> switches;
  std::vector<Bus> buses;
  std::vector<Node> nodes;
  std::vector<Nic> nics;
  std::vector<Way> routes;
  std::vector<Fraction> efficiencies;

  // The number of sites; of a machine with any number, the most that may be.
  int64_t most_sites() const;
};

// What descriptions of machines, which come from outside, may hold.
struct MachineLimits {
  static constexpr size_t text_bytes = 16'000'000;
  static constexpr int64_t sites = 4'096;
  static constexpr double least_gbps = 1e-6, gbps = 1e9;
  static constexpr double latency_us = 1e9;
  static constexpr double least_flops = 1, flops = 1e21;
  static constexpr int64_t memory_bytes = 1'000'000'000'000'000'000;
};

// What a route goes through: one of its site's things, or of the route's own end.
struct Passage {
  Resource::Kind kind = Resource::Kind::link;
  int64_t from = -1, to = -1;  // of a link; `from` also the site of the others, -1: the route's end
  std::string_view bus = {};
};

// A figure as files have it: 25, 0.5, 1.25e+14.
std::string figure_text(double value);

// Reads "link 0->4", "egress", "ingress 3", "bus upi", "nic out", "nic in 3"; none for other text.
std::optional<Passage> parse_passage(std::string_view text);

// Checks all that the types alone do not say: that sites are there and in one node and switch at
// most, that no pair is linked or on a bus twice, that routes go through what is there.
//
// Throws TopologyError that names `file`, line and table.
void verify(const Machine& machine, std::string_view file);

}  // namespace einsummable
