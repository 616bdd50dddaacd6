// SPDX-License-Identifier: Apache-2.0
// Random whole graphs on any number of virtual devices equal their references, bit for bit the same
// with private sites, and pass verification.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"
#include "tests/support/topologies.h"

namespace einsummable {
namespace {

// The largest difference from the reference over all saved tensors, as a part of the largest value.
double difference(const Graph& graph, const std::vector<Memory>& results,
                  const std::map<TensorId, Array64>& reference) {
  double worst = 0;
  for (size_t s = 0; s < graph.saves().size(); ++s) {
    const std::vector<double> expected = reference.at(graph.saves()[s].tensor).values();
    const std::vector<double> got = results[s].values().values();
    double scale = 1;
    for (double value : expected) scale = std::max(scale, std::abs(value));
    for (size_t i = 0; i < expected.size(); ++i) {
      worst = std::max(worst, std::abs(got[i] - expected[i]) / scale);
      if (std::isnan(got[i]) != std::isnan(expected[i])) return INFINITY;
    }
  }
  return worst;
}

TEST(Graphs, EqualTheirReferencesOnAnyNumberOfDevices) {
  int64_t operators = 0, tasks = 0;
  for (int64_t round = 0; round < rounds(120, 3000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const DType dtype = round % 3 == 0 ? DType::f32 : DType::f64;
    const Graph graph = random_graph(random, 3 + round % 12, dtype);
    const auto values = random_values(random, graph);
    const auto reference = evaluate(graph, values);
    const int64_t counts[] = {1, 2, 3, 5, 7, 8, 12, 72};
    const int64_t p = counts[round % 8];
    const Selector selector = round % 2 ? Selector::random : Selector::optimal;
    SCOPED_TRACE("round " + std::to_string(round) + ", p " + std::to_string(p) + "\n" +
                 text(graph));
    CompileOptions options{.devices = p, .selector = selector, .seed = random()};
    if (round % 4 == 0) options.objective = kProxy;
    std::mt19937_64 links(static_cast<uint64_t>(round));
    if (round % 3 == 0 && p < 72)
      options.topology = std::make_shared<const Topology>(linked(p, links));
    const auto shared = compiled(graph, options);
    options.sites = CompileOptions::Sites::private_sites;
    const auto isolated = compiled(graph, options);
    const std::vector<Memory> a = call(*shared, graph, values), b = call(*isolated, graph, values);
    EXPECT_LE(difference(graph, a, reference), dtype == DType::f32 ? 2e-5 : 1e-12);
    EXPECT_EQ(hash_of(a), hash_of(b)) << "private sites give other bits";
    EXPECT_EQ(hash_of(a), hash_of(call(*shared, graph, values)))
        << "a second call gives other bits";
    operators += static_cast<int64_t>(shared->graph().ops().size());
    tasks += static_cast<int64_t>(shared->tasks().tasks.size());
    if (HasFailure()) return;
  }
  printf("%lld operators, %lld tasks\n", static_cast<long long>(operators),
         static_cast<long long>(tasks));
}

}  // namespace
}  // namespace einsummable
