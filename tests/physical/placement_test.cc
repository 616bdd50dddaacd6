// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/placement.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/physical/random_holdings.h"
#include "tests/support/every_spec.h"
#include "tests/support/plans.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

bool inside(const Box& box, std::span<const int64_t> x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] < box[i].lo || x[i] >= box[i].hi) return false;
  }
  return true;
}

// Elements of `box` that are at the site, complete or as a partial result, one by one.
int64_t elements_at(const Holdings& holdings, TensorId tensor, const Box& box, SiteId site) {
  int64_t count = 0;
  for_each_position(box, [&](std::span<const int64_t> x) {
    bool there = false;
    for (const Resident& held : holdings.complete(tensor)) {
      there |= held.site == site && inside(held.box, x);
    }
    for (size_t b = 0; b < holdings.blocks(tensor).size(); ++b) {
      for (SiteId holder : holdings.partial_sites(tensor, b)) {
        there |= holder == site && inside(holdings.blocks(tensor)[b].box, x);
      }
    }
    count += there;
  });
  return count;
}

// What an assignment of cells to sites leaves in place, and how many cells are at their own number.
using Gain = std::pair<int64_t, int64_t>;

Gain gain_of(const Graph& graph, OpId op, const JoinAggSpec& spec, const Holdings& holdings,
             std::span<const SiteId> sites) {
  Gain gain = {0, 0};
  for (int64_t cell = 0; cell < spec.cells(); ++cell) {
    const SiteId site = sites[static_cast<size_t>(cell)];
    const FunctionSpec function = spec.cell(cell);
    for (size_t k = 0; k < function.inputs.size(); ++k) {
      const TensorId tensor = graph.op(op).inputs[k];
      gain.first += size_of(graph.type(tensor).dtype) *
                    elements_at(holdings, tensor, function.inputs[k], site);
    }
    gain.second += site.value == cell;
  }
  return gain;
}

Gain best_gain(const Graph& graph, OpId op, const JoinAggSpec& spec, const Holdings& holdings,
               int64_t sites) {
  std::vector<SiteId> order;
  for (int64_t site = 0; site < sites; ++site) order.emplace_back(site);
  Gain best = {-1, 0};
  do {
    best = std::max(best, gain_of(graph, op, spec, holdings, order));
  } while (std::ranges::next_permutation(order).found);
  return best;
}

TEST(Placement, LeavesTheMostBytesWhereTheyAre) {
  Random random(1);
  for (int round = 0; round < rounds(300, 5000); ++round) {
    const int64_t sites = 1 + random_below(random, 5);
    Produced produced = random_producer(random, sites);
    produced.graph.apply("multiply", {produced.tensor, produced.tensor}, {}, "next");
    const Holdings holdings = random_holdings(random, produced, sites);
    const OpId op(1);
    const auto signature =
        std::make_shared<const Signature>(produced.graph.op(op).op->signatures()[0]);
    std::vector<JoinAggSpec> specs;
    for (int64_t cells = 1; cells <= sites; ++cells) {
      for_each_spec(signature, cells, random,
                    [&](const JoinAggSpec& spec) { specs.push_back(spec); });
    }
    const JoinAggSpec& spec = specs[static_cast<size_t>(random_below(random, std::ssize(specs)))];
    const std::vector<SiteId> placed = place(produced.graph, op, spec, holdings, sites);
    EXPECT_EQ(std::ssize(placed), spec.cells());
    EXPECT_EQ(gain_of(produced.graph, op, spec, holdings, placed),
              best_gain(produced.graph, op, spec, holdings, sites))
        << "round " << round;
  }
}

TEST(Placement, TakesTensorsOfPetabytes) {
  Graph graph;
  const int64_t extent = int64_t{1} << 57;
  const TensorId x = graph.input(DType::f32, {extent}, "x");
  const TensorId y = graph.apply("relu", {x}, {}, "first")[0];
  graph.save(graph.apply("relu", {y}, {}, "second")[0]);
  const JoinAggSpec spec = cut(*graph.ops()[0].op, {{"i0", 8}});
  Holdings holdings(graph);
  std::vector<SiteId> backwards;
  for (int64_t site = 8; site-- > 0;) backwards.emplace_back(site);
  holdings.produce(OpId(0), spec, backwards);
  EXPECT_EQ(place(graph, OpId(1), spec, holdings, 8), backwards);
}

TEST(Placement, KeepsCellsAtTheirOwnNumbersWhereNothingIsResident) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {6, 6}, "x");
  graph.save(graph.apply("relu", {x}, {}, "relu")[0]);
  const JoinAggSpec spec = cut(*graph.ops()[0].op, {{"i0", 2}, {"i1", 3}});
  const std::vector<SiteId> placed = place(graph, OpId(0), spec, Holdings(graph), 8);
  for (size_t cell = 0; cell < placed.size(); ++cell) EXPECT_EQ(placed[cell].index(), cell);
}

}  // namespace
}  // namespace einsummable
