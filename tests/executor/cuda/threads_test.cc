// SPDX-License-Identifier: Apache-2.0
// Programs that are compiled and called by several threads at once, on the same devices.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/devices.h"
#include "tests/support/cuda_twin/table.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::Table;

// A random graph and what it gives.
struct Work {
  Graph graph;
  std::map<TensorId, Array64> values, wanted;

  explicit Work(uint64_t seed) {
    Random random(seed);
    graph = random_graph(random, 6, DType::f32);
    values = random_values(random, graph);
    wanted = evaluate(graph, values);
  }

  void expect(const std::vector<Memory>& results) const {
    for (size_t s = 0; s < results.size(); ++s) {
      const std::vector<double> got = results[s].values().values();
      const std::vector<double>& want = wanted.at(graph.saves()[s].tensor).values();
      for (size_t i = 0; i < want.size(); ++i) {
        const bool same = std::isnan(want[i]) ? std::isnan(got[i])
                                              : std::abs(got[i] - want[i]) <=
                                                    2e-5 * std::max(1.0, std::abs(want[i]));
        EXPECT_TRUE(same) << got[i] << ", not " << want[i];
      }
    }
  }
};

CompileOptions on(Devices& devices, int64_t sites, int32_t count) {
  CudaOptions options{.devices = {}};
  for (int64_t site = 0; site < sites; ++site) {
    options.devices.push_back(static_cast<int32_t>(site % count));
  }
  options.kernels.product_workspace = 1024;
  options.reaches = [&](int32_t a, int32_t b) { return devices.reaches(a, b); };
  options.threads = 2;
  return {.devices = sites,
          .objective = kProxy,
          .executor = std::make_shared<CudaExecutor>(devices.api(), options)};
}

template <class Each>
void in_threads(int count, const Each& each) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&each, t] { each(t); });
}

TEST(CudaThreads, CompileAndCallTheirOwnPrograms) {
  const Table table;
  {
    Devices devices(table.api());
    const int32_t count = table.devices(2);
    in_threads(3, [&](int t) {
      for (int64_t round = 0; round < rounds(2, 20); ++round) {
        const Work work(static_cast<uint64_t>(100 * t + round));
        const auto executable = compile(work.graph, on(devices, 1 + t, count));
        for (int again = 0; again < 3; ++again) {
          work.expect(call(*executable, work.graph, work.values));
        }
      }
    });
  }
  EXPECT_EQ(table.unreleased(), 0);
}

TEST(CudaThreads, CallOneProgram) {
  const Table table;
  Devices devices(table.api());
  const Work work(7);
  const auto executable = compile(work.graph, on(devices, 3, table.devices(2)));
  in_threads(3, [&](int) {
    for (int again = 0; again < 5; ++again) {
      work.expect(call(*executable, work.graph, work.values));
    }
  });
}

}  // namespace
}  // namespace einsummable::cuda
