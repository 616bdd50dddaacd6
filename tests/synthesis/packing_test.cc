// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "einsummable/exchange/printer.h"
#include "einsummable/synthesis/direct.h"
#include "einsummable/synthesis/pieces.h"
#include "einsummable/synthesis/symmetry.h"
#include "tests/support/rounds.h"
#include "tests/synthesis/preambles.h"
#include "tests/synthesis/topologies.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

constexpr int64_t gb = 1'000'000'000;

std::vector<Commodity> read(const Program& preamble) {
  Commodities read = commodities_of(preamble, *preamble.members());
  EXPECT_TRUE(read.ok) << read.reason;
  return std::move(read.commodities);
}

double load_of(const Program& preamble, const Topology& topology) {
  const Network network(topology, preamble.sites());
  const std::vector<Commodity> commodities = read(preamble);
  const std::vector<Packing> packings = pack(network, commodities, {.slacks = {0}});
  EXPECT_EQ(packings.size(), 1U);
  EXPECT_LE(packings[0].ms, packings[0].bound * 1.001);
  return packings[0].ms;
}

// A tree brings all terminals together and the result to all targets. Empty if it does.
std::string fault(const Commodity& commodity, const Tree& tree) {
  const auto& in = tree.gather.hops;
  if (!commodity.formed) {
    if (tree.gather.enters.size() != commodity.terminals.size()) return "terminals are left out";
    for (size_t i = 0; i < in.size(); ++i) {
      const int32_t next = in[i].next;
      if (next >= static_cast<int32_t>(i)) return "a hop is before the one it feeds";
      if (in[i].to != (next < 0 ? tree.root : in[static_cast<size_t>(next)].from))
        return "a hop ends elsewhere";
    }
    for (size_t t = 0; t < commodity.terminals.size(); ++t) {
      const int32_t into = tree.gather.enters[t];
      const int32_t at = into < 0 ? tree.root : in[static_cast<size_t>(into)].from;
      if (!std::ranges::binary_search(commodity.terminals[t].holders, at))
        return "a terminal is used where it is not";
    }
  }
  std::set<int32_t> there;
  if (commodity.formed) {
    there.insert(commodity.terminals[0].holders.begin(), commodity.terminals[0].holders.end());
  } else {
    there.insert(tree.root);
  }
  const std::set<int32_t> sources = there;
  for (size_t i = 0; i < tree.spread.hops.size(); ++i) {
    const Hop& hop = tree.spread.hops[i];
    if (hop.next < 0 ? !sources.contains(hop.from)
                     : hop.from != tree.spread.hops[static_cast<size_t>(hop.next)].to)
      return "a hop begins elsewhere";
    there.insert(hop.to);
  }
  for (int32_t t : commodity.targets) {
    if (!there.contains(t)) return "a target is not reached";
  }
  return "";
}

TEST(Packing, ReachesTheKnownLoads) {
  const Topology v100 = machine("dgx-v100", 8), a100 = machine("dgx-a100", 8);
  const Topology two = machine("dgx-a100-2", 16);
  const auto load = [](std::string_view what, const Topology& topology, double size) {
    return load_of(
        standard(what, static_cast<int32_t>(topology.sites()), static_cast<int64_t>(size * gb)),
        topology);
  };
  EXPECT_NEAR(load("all-gather", v100, 1), 46.06, 0.03);
  EXPECT_NEAR(load("reduce-scatter", v100, 1), 46.06, 0.03);
  EXPECT_NEAR(load("all-reduce", v100, 1), 11.52, 0.01);
  EXPECT_NEAR(load("all-to-all", v100, 0.125), 12.67, 0.01);
  EXPECT_NEAR(load("broadcast", v100, 1), 6.57, 0.01);
  EXPECT_NEAR(load("reduce", v100, 1), 6.57, 0.01);
  EXPECT_NEAR(load("repartition", v100, 1), 9.62, 0.01);
  EXPECT_NEAR(load("all-gather", a100, 1), 23.33, 0.02);
  EXPECT_NEAR(load("all-reduce", a100, 1), 5.83, 0.01);
  EXPECT_NEAR(load("broadcast", a100, 1), 3.33, 0.01);
  EXPECT_NEAR(load("all-gather", two, 1), 46.15, 0.03);
  EXPECT_NEAR(load("reduce-scatter", two, 1), 46.15, 0.03);
  EXPECT_NEAR(load("all-reduce", two, 1), 5.77, 0.01);
}

TEST(Packing, OfExample5_3DependsOnTheGroups) {
  const Topology v100 = machine("dgx-v100", 8);
  EXPECT_NEAR(load_of(example_5_3({0, 1, 4, 5}), v100), 14.71, 0.01);
  EXPECT_NEAR(load_of(example_5_3({0, 1, 2, 3}), v100), 10.75, 0.01);
}

// The loads that a packing causes, in ms.
std::vector<double> loads(const Network& network, const std::vector<Commodity>& commodities,
                          const Packing& packing) {
  std::vector<double> loads(network.rates().size(), 0);
  for (size_t c = 0; c < commodities.size(); ++c) {
    for (const Share& share : packing.commodities[c]) {
      for (const auto& [row, ms] : use_of(network, commodities[c], share.tree))
        loads[static_cast<size_t>(row)] += ms * share.part * commodities[c].bytes;
    }
  }
  return loads;
}

TEST(Packing, ServesRandomDemandsWithTreesAtTheLoadItSays) {
  std::mt19937_64 random(5);
  const Topology v100 = machine("dgx-v100", 8), a100 = machine("dgx-a100", 8);
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    const Program preamble = random_demands(static_cast<int32_t>(2 + random() % 7), random);
    const Topology& topology = round % 2 == 0 ? v100 : a100;
    const Network network(topology, preamble.sites());
    const std::vector<Commodity> commodities = read(preamble);
    const std::vector<double> slacks = {1e-3, 0.3};
    const auto packings = pack(network, commodities, {.slacks = slacks});
    if (commodities.empty() || packings[0].ms == 0) continue;
    ASSERT_EQ(packings.size(), 2U);
    for (size_t k = 0; k < packings.size(); ++k) {
      ASSERT_LE(packings[k].ms, packings[k].bound * (1 + slacks[k]) * 1.001) << print(preamble);
      const std::vector<double> load = loads(network, commodities, packings[k]);
      ASSERT_LE(*std::ranges::max_element(load), packings[k].ms * 1.002) << print(preamble);
      for (size_t c = 0; c < commodities.size(); ++c) {
        double parts = 0;
        for (const Share& share : packings[k].commodities[c]) {
          parts += share.part;
          ASSERT_EQ(fault(commodities[c], share.tree), "") << print(preamble);
        }
        ASSERT_NEAR(parts, 1, 1e-6);
      }
    }
  }
}

TEST(Packing, GivesUpBelowTheCutoffAndWhereThereIsNoWay) {
  const Program preamble = standard("all-reduce", 8, gb);
  const Topology v100 = machine("dgx-v100", 8);
  const Network network(v100, preamble.sites());
  const auto packings = pack(network, read(preamble), {.cutoff = 5});
  ASSERT_EQ(packings.size(), 1U);
  EXPECT_GT(packings[0].bound, 5);
  EXPECT_TRUE(packings[0].commodities.empty());
  Topology islands = v100;
  for (size_t b = 0; b < 8; ++b) islands.route_of[7 * 8 + b] = islands.route_of[b * 8 + 7] = -1;
  EXPECT_TRUE(pack(Network(islands, preamble.sites()), read(preamble)).empty());
  EXPECT_FALSE(fastest_ways(Network(islands, preamble.sites()), read(preamble)).has_value());
}

TEST(Packing, OnFastestWaysServesRandomDemands) {
  std::mt19937_64 random(6);
  const Topology v100 = machine("dgx-v100", 8);
  for (int round = 0; round < rounds(100, 5'000); ++round) {
    const Program preamble = random_demands(static_cast<int32_t>(2 + random() % 7), random);
    const Network network(v100, preamble.sites());
    const std::vector<Commodity> commodities = read(preamble);
    const auto fastest = fastest_ways(network, commodities);
    ASSERT_TRUE(fastest.has_value());
    for (size_t c = 0; c < commodities.size(); ++c)
      ASSERT_EQ(fault(commodities[c], fastest->commodities[c][0].tree), "") << print(preamble);
    const auto split = summed_at_targets(commodities);
    if (!split) continue;
    const auto direct = straight(network, *split);
    ASSERT_TRUE(direct.has_value());
    for (size_t c = 0; c < split->size(); ++c)
      ASSERT_EQ(fault((*split)[c], direct->commodities[c][0].tree), "") << print(preamble);
  }
}

TEST(Packing, UsesTheSymmetryOfMachineAndDemands) {
  const Topology v100 = machine("dgx-v100", 8), a100 = machine("dgx-a100", 8);
  const Topology two = machine("dgx-a100-2", 16);
  const auto symmetry = [](const Program& preamble, const Topology& topology) {
    const std::vector<Commodity> commodities = read(preamble);
    const Network network(topology, preamble.sites());
    return symmetry_of(network, commodities).representatives().size();
  };
  EXPECT_EQ(symmetry(standard("all-gather", 16, gb), two), 1U);
  EXPECT_EQ(symmetry(standard("all-to-all", 16, gb), two), 15U);
  EXPECT_EQ(symmetry(standard("broadcast", 16, gb), two), 1U);
  EXPECT_EQ(symmetry(example_5_3({0, 1, 4, 5}), a100), 1U);
  EXPECT_EQ(symmetry(standard("all-gather", 8, gb), v100), 2U);
}

// Every cut adds up, in whole grains, and the atoms of an aggregate are cut alike.
TEST(Pieces, AddUpInWholeGrainsAtEveryFineness) {
  std::mt19937_64 random(7);
  const Topology v100 = machine("dgx-v100", 8);
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    Program preamble = random_demands(static_cast<int32_t>(2 + random() % 7), random);
    if (round % 3 == 0) {
      for (size_t a = 0; a < preamble.atoms().size(); ++a) {
        const int64_t bytes = preamble.atoms()[a].bytes;
        preamble.set_atom_size(AtomId(static_cast<int64_t>(a)), bytes,
                               bytes % 3 == 0 ? bytes / 3 : bytes);
      }
    }
    const Network network(v100, preamble.sites());
    const std::vector<Commodity> commodities = read(preamble);
    const auto packings = pack(network, commodities);
    const Cutter cutter(preamble, commodities, packings[0]);
    for (double q = 1e10; q > 1e5; q /= 7) {
      const Pieces pieces = cutter.cut(q);
      Program split = preamble;
      for (const Cut& cut : pieces.cuts) {
        for (AtomId atom : cut.atoms) ASSERT_NO_THROW(split.add_split(atom, cut.sizes));
      }
      for (size_t c = 0; c < commodities.size(); ++c) {
        for (size_t d = 0; d < commodities[c].demands.size(); ++d) {
          const Demand& demand = commodities[c].demands[d];
          const Split* cut = split.split(demand.aggregate);
          const auto& list = pieces.of[c][d];
          ASSERT_EQ(list.size(), cut == nullptr ? 1U : static_cast<size_t>(cut->count));
          int64_t complete = 0;
          for (const Piece& piece : list) complete += piece.complete;
          ASSERT_EQ(complete, preamble.bytes(demand.aggregate));
        }
      }
    }
  }
}

}  // namespace
}  // namespace einsummable::synthesis
