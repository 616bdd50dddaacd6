// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/symmetry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <ranges>
#include <set>

#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

Topology shipped(const std::string& name) {
  const Machine machine = load_machine(name);
  return resolve_first(machine, machine.sites.count.value_or(4));
}

size_t orbits(const Symmetries& found) {
  return std::set(found.orbit_of.begin(), found.orbit_of.end()).size();
}

double factorial(int n) {
  double out = 1;
  for (int i = 2; i <= n; ++i) out *= i;
  return out;
}

const auto kAnything = [](const Permutation&) { return true; };

// Of a group given by all its elements.
size_t orbits(const std::vector<Permutation>& elements) {
  std::set<int32_t> least;
  for (size_t s = 0; s < elements[0].size(); ++s) {
    int32_t first = static_cast<int32_t>(s);
    for (const Permutation& element : elements) first = std::min(first, element[s]);
    least.insert(first);
  }
  return least.size();
}

TEST(Symmetry, TheHybridCubeMeshHasFour) {
  const Symmetries found = symmetries(shipped("dgx-v100"));
  EXPECT_EQ(found.order, 4);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(group_elements(found.generators, 8, 100).size(), 4u);
  // Each socket's halves, and the sockets.
  EXPECT_EQ(orbits(found), 2u);
}

TEST(Symmetry, OfShippedMachines) {
  EXPECT_EQ(symmetries(shipped("dgx-a100")).order, factorial(8));
  EXPECT_EQ(symmetries(shipped("dgx-a100-2")).order, factorial(8) * factorial(8) * 2);
  EXPECT_EQ(symmetries(shipped("dgx-h100-4")).order, std::pow(factorial(8), 4) * factorial(4));
  EXPECT_EQ(symmetries(shipped("pcie-a6000-8")).order, factorial(4) * factorial(4) * 2);
  // Four pillars that may be permuted at will, and the sockets.
  EXPECT_EQ(symmetries(shipped("dgx-v100-paper")).order, factorial(4) * 2);
  EXPECT_EQ(symmetries(shipped("cpu")).order, factorial(4));
  for (const std::string& name : machine_names()) {
    const Symmetries found = symmetries(shipped(name));
    EXPECT_TRUE(found.complete) << name;
    EXPECT_EQ(orbits(found), name == "dgx-v100" ? 2u : 1u) << name;
    for (const Permutation& generator : found.generators) {
      EXPECT_TRUE(is_automorphism(shipped(name), generator)) << name;
    }
  }
}

TEST(Symmetry, ALargeMachineIsQuick) {
  const Topology rack = shipped("gb200-nvl72");
  const auto start = std::chrono::steady_clock::now();
  const Symmetries found = symmetries(rack);
  const std::vector<Permutation> group = spreading_group(rack, kAnything);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_NEAR(found.order / factorial(72), 1, 1e-9);
  EXPECT_EQ(orbits(found), 1u);
  EXPECT_EQ(group.size(), 72u);
  EXPECT_LT(took.count(), 5);
}

TEST(Symmetry, SitesOnOneDeviceStayTogether) {
  const Machine machine = load_machine("dgx-a100");
  const Topology topology = resolve(machine, std::vector<int64_t>{0, 1, 0, 1, 2});
  EXPECT_EQ(symmetries(topology).order, 8);
  EXPECT_FALSE(is_automorphism(topology, {1, 0, 2, 3, 4}));
  EXPECT_TRUE(is_automorphism(topology, {1, 0, 3, 2, 4}));
  EXPECT_FALSE(is_automorphism(topology, {0, 0, 2, 3, 4}));
}

TEST(Symmetry, GroupsThatSpread) {
  EXPECT_EQ(spreading_group(shipped("dgx-a100"), kAnything).size(), 8u);
  EXPECT_EQ(spreading_group(shipped("dgx-a100-2"), kAnything).size(), 16u);
  const auto nodes = spreading_group(shipped("dgx-h100-4"), kAnything);
  EXPECT_EQ(nodes.size(), 32u);
  EXPECT_EQ(orbits(nodes), 1u);
  EXPECT_EQ(spreading_group(shipped("dgx-v100"), kAnything).size(), 4u);
  EXPECT_EQ(orbits(spreading_group(shipped("dgx-v100-paper"), kAnything)), 1u);
  // What keeps the groups {0, 1, 2, 3} and {4, 5, 6, 7} as they are.
  const auto halves = spreading_group(shipped("dgx-a100"), [](const Permutation& permutation) {
    return std::ranges::all_of(std::views::iota(0, 8), [&](int s) {
      return (s < 4) == (permutation[static_cast<size_t>(s)] < 4);
    });
  });
  EXPECT_EQ(halves.size(), 4u);
  EXPECT_EQ(orbits(halves), 2u);
}

// Tries every renaming of resources.
bool is_automorphism_by_force(const Topology& topology, const Permutation& permutation) {
  const auto device = [&](size_t s) { return topology.device_of[s]; };
  for (size_t a = 0; a < permutation.size(); ++a) {
    for (size_t b = 0; b < permutation.size(); ++b) {
      if ((device(a) == device(b)) != (device(static_cast<size_t>(permutation[a])) ==
                                       device(static_cast<size_t>(permutation[b])))) {
        return false;
      }
    }
  }
  std::vector<size_t> renamed(topology.resources.size());
  std::iota(renamed.begin(), renamed.end(), size_t{0});
  const auto keeps = [&] {
    for (size_t r = 0; r < renamed.size(); ++r) {
      const Resource &x = topology.resources[r], &y = topology.resources[renamed[r]];
      if (x.kind != y.kind || x.gbps != y.gbps) return false;
    }
    for (int64_t a = 0; a < topology.sites(); ++a) {
      for (int64_t b = 0; b < topology.sites(); ++b) {
        const Route* from = topology.route(a, b);
        const Route* to = topology.route(permutation[static_cast<size_t>(a)],
                                         permutation[static_cast<size_t>(b)]);
        if (!from != !to) return false;
        if (!from) continue;
        std::vector<size_t> x, y;
        for (ResourceId id : from->resources) x.push_back(renamed[id.index()]);
        for (ResourceId id : to->resources) y.push_back(id.index());
        if (x != y || from->latency_us != to->latency_us) return false;
      }
    }
    return true;
  };
  do {
    if (keeps()) return true;
  } while (std::ranges::next_permutation(renamed).found);
  return false;
}

// Up to five sites, six resources.
Topology random_topology(std::mt19937& random) {
  Machine machine;
  machine.name = "random";
  machine.sites.count = 5;
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  const auto figure = [&] { return chance(70) ? 25.0 : 50.0; };
  if (chance(30)) {
    machine.switches.push_back({{}, {0, 1}, 25, figure(), 0});
  }
  std::vector<Machine::Pair> pairs;
  for (int64_t a = 0; a < 5; ++a) {
    for (int64_t b = a + 1; b < 5; ++b) pairs.push_back({a, b});
  }
  std::ranges::shuffle(pairs, random);
  for (size_t i = 0; i < random() % 3; ++i) {
    machine.links.push_back({{}, {pairs[i]}, figure(), 0, chance(70)});
  }
  for (const char* name : {"a", "b"}) {
    const bool unlinked = *name == 'b' && chance(50);
    Machine::Bus bus = {{}, name, figure(), 1, unlinked, {}};
    for (size_t i = *name == 'a' ? 0 : 5; i < (*name == 'a' ? 5u : 10u) && !bus.unlinked; ++i) {
      if (chance(50)) bus.pairs.push_back(pairs[i]);
    }
    machine.buses.push_back(bus);
  }
  std::vector<int64_t> devices = {0, 1, 2, 3, 4};
  if (chance(30)) devices[random() % 5] = devices[random() % 5];
  if (chance(30)) devices.pop_back();
  return resolve(machine, devices);
}

TEST(Symmetry, EqualsBruteForceOnSmallMachines) {
  std::mt19937 random(11);
  std::map<double, int> orders;
  for (int round = 0; round < rounds(60, 1'000); ++round) {
    const Topology topology = random_topology(random);
    if (topology.resources.size() > 6) continue;
    std::set<Permutation> expected;
    Permutation permutation(static_cast<size_t>(topology.sites()));
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      const bool found = is_automorphism_by_force(topology, permutation);
      EXPECT_EQ(is_automorphism(topology, permutation), found) << round;
      if (found) expected.insert(permutation);
    } while (std::ranges::next_permutation(permutation).found);
    const Symmetries found = symmetries(topology);
    const auto elements = group_elements(found.generators, topology.sites(), 1'000);
    EXPECT_EQ(std::set(elements.begin(), elements.end()), expected) << round;
    EXPECT_EQ(found.order, static_cast<double>(expected.size())) << round;
    EXPECT_TRUE(found.complete);
    ++orders[found.order];
  }
  EXPECT_GT(orders.size(), 3u);
}

// A cut search says so, and what it found is right.
TEST(Symmetry, ABudgetIsKept) {
  const Topology mesh = shipped("dgx-v100");
  const Symmetries none = symmetries(mesh, 0);
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.order, 1);
  EXPECT_EQ(group_elements(symmetries(shipped("dgx-a100")).generators, 8, 1'000).size(), 1'000u);
}

}  // namespace
}  // namespace einsummable
