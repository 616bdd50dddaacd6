// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/resolve.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/topology/load.h"
#include "tests/topology/machine_texts.h"

namespace einsummable {
namespace {

// "link 0->1 25; 2 us": what the way goes through, how fast each is, and its latency.
std::string way(const Topology& topology, int64_t from, int64_t to) {
  const Route* route = topology.route(from, to);
  if (!route) return "none";
  std::vector<std::string> through;
  for (ResourceId id : route->resources) {
    const Resource& resource = topology.resource(id);
    through.push_back(resource.name + " " + figure_text(resource.gbps));
  }
  return join(through, ", ") + "; " + figure_text(route->latency_us) + " us";
}

Topology resolved(const std::string& count, const std::string& tables,
                  const std::vector<int64_t>& devices) {
  return resolve(parse_machine(machine_text_of(count, tables), "m.toml"), devices);
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const TopologyError& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kBox = R"(
[[link]]
sites = [0, 1]
gbps = 50
latency_us = 2
[[switch]]
sites = [0, 1, 2]
egress = 26
ingress = 25
latency_us = 4
[[bus]]
name = "pcie"
gbps = 15
latency_us = 9
pairs = "unlinked"
[[bus]]
name = "own"
gbps = 3
pairs = [[1, 3]]
[[route]]
from = [2, 3]
to = 0
via = ["bus pcie", "egress 1", "link 1->0"]
)";

TEST(Resolve, ARouteThenALinkThenASwitchThenABus) {
  const Topology box = resolved("5", std::string(kBox), {0, 1, 2, 3, 4});
  EXPECT_EQ(way(box, 0, 1), "link 0->1 50; 2 us");
  EXPECT_EQ(way(box, 1, 0), "link 1->0 50; 2 us");
  EXPECT_EQ(way(box, 1, 2), "egress 1 26, ingress 2 25; 4 us");
  EXPECT_EQ(way(box, 0, 2), "egress 0 26, ingress 2 25; 4 us");
  EXPECT_EQ(way(box, 2, 0), "bus pcie 15, egress 1 26, link 1->0 50; 15 us");
  EXPECT_EQ(way(box, 3, 0), "bus pcie 15, egress 1 26, link 1->0 50; 15 us");
  EXPECT_EQ(way(box, 0, 3), "bus pcie 15; 9 us");
  EXPECT_EQ(way(box, 1, 3), "bus own 3; 0 us");
  EXPECT_EQ(way(box, 3, 4), "bus pcie 15; 9 us");
  EXPECT_EQ(way(box, 2, 2), "none");
}

TEST(Resolve, PairsWithoutAnyWay) {
  const Topology box = resolved("3", "[[link]]\nsites = [0, 1]\ngbps = 1\nboth = false", {0, 1, 2});
  EXPECT_EQ(way(box, 0, 1), "link 0->1 1; 0 us");
  EXPECT_EQ(way(box, 1, 0), "none");
  EXPECT_EQ(way(box, 0, 2), "none");
}

TEST(Resolve, BetweenNodesTheNicsAlone) {
  const std::string tables = R"(
[[node]]
sites = [0, 1]
[[node]]
sites = [2, 3, 4]
[[nic]]
site = 0
egress = 25
ingress = 24
latency_us = 5
[[nic]]
sites = [2, 3, 4]
shared = true
egress = 12
ingress = 11
latency_us = 6
[[bus]]
name = "pcie"
gbps = 10
pairs = "unlinked"
)";
  const Topology box = resolved("5", tables, {0, 1, 2, 3, 4});
  EXPECT_EQ(way(box, 0, 1), "bus pcie 10; 0 us");
  EXPECT_EQ(way(box, 0, 3), "nic out 0 25, nic in 2-4 11; 5 us");
  EXPECT_EQ(way(box, 3, 0), "nic out 2-4 12, nic in 0 24; 6 us");
  EXPECT_EQ(way(box, 1, 3), "none");  // it has no NIC
  EXPECT_EQ(box.route(3, 0)->resources, box.route(2, 0)->resources);
}

TEST(Resolve, ARouteBackGoesThroughTheSameReversed) {
  const Topology box = resolved("4", R"(
[[switch]]
sites = "all"
egress = 26
ingress = 25
[[bus]]
name = "upi"
gbps = 20
[[link]]
sites = [1, 2]
gbps = 7
[[route]]
from = [0, 1]
to = [3]
via = ["egress", "link 1->2", "bus upi", "ingress"]
latency_us = 8
both = true
)",
                                {0, 1, 2, 3});
  EXPECT_EQ(way(box, 0, 3), "egress 0 26, link 1->2 7, bus upi 20, ingress 3 25; 8 us");
  EXPECT_EQ(way(box, 3, 0), "egress 3 26, bus upi 20, link 2->1 7, ingress 0 25; 8 us");
  EXPECT_EQ(way(box, 3, 2), "egress 3 26, ingress 2 25; 0 us");
}

TEST(Resolve, SitesOnOneDeviceShareItAndHandOver) {
  const Topology box = resolve(load_machine("dgx-a100"), std::vector<int64_t>{5, 2, 5});
  EXPECT_EQ(box.sites(), 3);
  ASSERT_EQ(box.devices.size(), 2u);
  EXPECT_EQ(box.device(2).name, "5");
  EXPECT_EQ(box.device_of, (std::vector<int32_t>{0, 1, 0}));
  EXPECT_EQ(way(box, 0, 2), "; 0 us");
  EXPECT_EQ(way(box, 0, 1), "egress 5 300, ingress 2 300; 2 us");
  EXPECT_EQ(box.route(0, 1), box.route(2, 1));
  EXPECT_EQ(box.resources.size(), 4u);
}

TEST(Resolve, OneMemoryHandsOver) {
  const Topology cpu = resolve_first(load_machine("cpu"), 8);
  EXPECT_TRUE(cpu.handover);
  EXPECT_EQ(cpu.workers, 2);
  EXPECT_TRUE(cpu.resources.empty());
  EXPECT_EQ(cpu.routes.size(), 1u);
  EXPECT_TRUE(cpu.route(3, 4)->resources.empty());
  EXPECT_GT(cpu.route(3, 4)->latency_us, 0);
}

TEST(Resolve, TheFiguresOfTheDesign) {
  const Topology v100 = resolve_first(load_machine("dgx-v100"), 8);
  EXPECT_EQ(way(v100, 0, 3), "link 0->3 50; 2 us");
  EXPECT_EQ(way(v100, 6, 2), "link 6->2 25; 2 us");
  EXPECT_EQ(way(v100, 0, 5), "bus pcie 15.75; 10 us");
  EXPECT_EQ(v100.route(0, 5)->resources, v100.route(6, 1)->resources);
  EXPECT_EQ(v100.device(0).hbm_gbps, 900);
  const Topology paper = resolve_first(load_machine("dgx-v100-paper"), 8);
  EXPECT_EQ(way(paper, 0, 4), "link 0->4 50; 2 us");
  EXPECT_EQ(way(paper, 0, 3), "link 0->3 25; 2 us");
  const Topology nodes = resolve_first(load_machine("dgx-a100-2"), 16);
  EXPECT_EQ(way(nodes, 3, 4), "egress 3 300, ingress 4 300; 2 us");
  EXPECT_EQ(way(nodes, 3, 12), "nic out 3 25, nic in 12 25; 5 us");
  EXPECT_EQ(nodes.device(0).hbm_gbps, 1555);
  EXPECT_EQ(resolve_first(load_machine("dgx-h100"), 1).device(0).hbm_gbps, 3350);
  const Topology a6000 = resolve_first(load_machine("pcie-a6000-8"), 8);
  EXPECT_EQ(way(a6000, 0, 4), "egress 0 26.3, bus 0 to 1 22, ingress 4 26.3; 5 us");
  EXPECT_EQ(way(a6000, 4, 0), "egress 4 26.3, bus 1 to 0 22, ingress 0 26.3; 5 us");
  EXPECT_EQ(way(a6000, 4, 5), "egress 4 26.3, ingress 5 26.3; 4 us");
}

TEST(Resolve, MoreThanTheMachineHas) {
  const Machine machine = load_machine("dgx-v100");
  EXPECT_EQ(error_of([&] { resolve_first(machine, 9); }),
            "dgx-v100 has 8 devices, not 9; ask for fewer, take a larger topology, or put several "
            "sites on a device: devices=[0, 0, 1, 1]");
  EXPECT_EQ(error_of([&] {
              resolve(machine, std::vector<int64_t>{0, 8});
            }),
            "dgx-v100 has no device 8; it has 0 to 7 (several sites may be on one: devices=[0, 0, "
            "1, 1])");
  EXPECT_NE(error_of([&] { resolve(machine, std::vector<int64_t>{-1}); }), "");
  EXPECT_EQ(error_of([&] { resolve_first(machine, 0); }), "a plan has from 1 to 4096 sites, not 0");
  EXPECT_EQ(error_of([&] { resolve(machine, std::vector<int64_t>(5000, 0)); }),
            "a plan has from 1 to 4096 sites, not 5000");
}

}  // namespace
}  // namespace einsummable
