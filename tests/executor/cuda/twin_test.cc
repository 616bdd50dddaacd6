// SPDX-License-Identifier: Apache-2.0
// The host twin finds what it must: faults of every kind, seeded one at a time, are caught.
#include "tests/support/cuda_twin/twin.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/text.h"
#include "tests/support/cuda_twin/task_bench.h"
#include "tests/support/executable.h"
#include "tests/support/operators.h"
#include "tests/support/random_graph.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::BenchBlock;
using cuda_twin::Recorded;
using cuda_twin::TaskBench;
using cuda_twin::Twin;

// A network whose hidden layer is cut, so that partial sums travel between three sites.
Graph network() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {12, 10}, "x");
  const TensorId up = graph.input(DType::f32, {10, 18}, "up"),
                 down = graph.input(DType::f32, {18, 6}, "down");
  const TensorId hidden = graph.apply("matmul", {x, up}, {}, "widen").at(0);
  const TensorId active = graph.apply("silu", {hidden}, {}, "act").at(0);
  const TensorId y = graph.apply("matmul", {active, down}, {}, "narrow").at(0);
  const TensorId normal = graph.apply("softmax", {y}, {}, "normal").at(0);
  graph.save(graph.apply("add", {normal, y}, {}, "sum").at(0), "y");
  return graph;
}

// Calls a program whose nodes were tampered with, again and again in other orders; whether the twin
// or a result ever told.
bool is_caught(const std::function<void(std::vector<Recorded>&)>& tamper, uint64_t seed) {
  const Graph graph = network();
  Random random(7);
  const auto values = random_values(random, graph);
  const CompileOptions plain{.devices = 3,
                             .pins = {{"widen", {{"k", 3}}}, {"narrow", {{"j", 3}}}},
                             .objective = kProxy,
                             .schedule_mode = kNaive};
  Twin twin({.seed = seed, .peers = [](int32_t, int32_t) { return true; }, .tamper = tamper});
  twin.api().enable_peer(0, 1);
  twin.api().enable_peer(1, 0);
  CompileOptions options = plain;
  options.executor = std::make_shared<CudaExecutor>(
      twin.api(), CudaOptions{.devices = {0, 1, 0},
                              .kernels = {.product_workspace = 1024},
                              .reaches = [](int32_t, int32_t) { return true; }});
  const auto executable = compile(graph, options);
  const auto reference = evaluate(graph, values);
  for (int attempt = 0; attempt < 40; ++attempt) {
    try {
      const std::vector<Memory> results = call(*executable, graph, values);
      const Array64 got = results[0].values();
      const Array64& right = reference.at(graph.saves()[0].tensor);
      for (size_t i = 0; i < right.values().size(); ++i) {
        if (!(std::abs(got.values()[i] - right.values()[i]) < 1e-3)) return true;
      }
    } catch (const DeviceError&) {
      return true;
    }
  }
  return false;
}

// The nodes of the program as they are.
std::vector<Recorded> recorded() {
  std::vector<Recorded> nodes;
  EXPECT_FALSE(is_caught([&](std::vector<Recorded>& all) { nodes = all; }, 1));
  return nodes;
}

// Whether `node` comes after `before` by other ways than their own edge.
bool is_implied(const std::vector<Recorded>& nodes, size_t node, size_t edge) {
  const Node target = nodes[node].after[edge];
  std::vector<Node> stack;
  for (size_t i = 0; i < nodes[node].after.size(); ++i) {
    if (i != edge) stack.push_back(nodes[node].after[i]);
  }
  std::vector<char> seen(nodes.size() + 1, 0);
  while (!stack.empty()) {
    const Node at = stack.back();
    stack.pop_back();
    if (at == target) return true;
    if (seen[at]++) continue;
    for (Node next : nodes[at - 1].after) stack.push_back(next);
  }
  return false;
}

// A copy that waits for another only to keep the order of the exchange program.
bool keeps_order(const std::vector<Recorded>& nodes, size_t node, Node before) {
  return std::holds_alternative<Copy>(nodes[node].work) &&
         std::holds_alternative<Copy>(nodes[before - 1].work);
}

TEST(Twin, CatchesEveryDependencyThatIsRemoved) {
  const std::vector<Recorded> nodes = recorded();
  ASSERT_GT(nodes.size(), 10u);
  int removed = 0;
  for (size_t node = 0; node < nodes.size(); ++node) {
    for (size_t edge = 0; edge < nodes[node].after.size(); ++edge) {
      if (is_implied(nodes, node, edge) || keeps_order(nodes, node, nodes[node].after[edge]))
        continue;
      ++removed;
      const auto remove = [&](std::vector<Recorded>& all) {
        all[node].after.erase(all[node].after.begin() + static_cast<int64_t>(edge));
      };
      EXPECT_TRUE(is_caught(remove, 17 + node)) << "node " << node + 1 << " without edge " << edge;
    }
  }
  printf("%d of %zu nodes' dependencies removed\n", removed, nodes.size());
  EXPECT_GT(removed, 10);
}

TEST(Twin, CatchesEveryAddressThatIsOff) {
  const std::vector<Recorded> nodes = recorded();
  for (size_t node = 0; node < nodes.size(); ++node) {
    for (const uint64_t off : {uint64_t{4}, uint64_t{1} << 30}) {
      const auto move = [&](std::vector<Recorded>& all) {
        auto& work = all[node].work;
        if (auto* kernel = std::get_if<Recorded::Kernel>(&work)) kernel->arguments.back() += off;
        if (auto* copy = std::get_if<Copy>(&work)) copy->to += off;
        if (auto* product = std::get_if<Product>(&work)) product->c.address += off;
      };
      EXPECT_TRUE(is_caught(move, 29 + node)) << "node " << node + 1 << " off by " << off;
    }
  }
}

TEST(Twin, CatchesACopyWithoutPeerAccess) {
  const auto turn = [](std::vector<Recorded>& all) {
    for (Recorded& node : all) {
      auto* copy = std::get_if<Copy>(&node.work);
      if (copy && copy->from_device != copy->to_device)
        std::swap(copy->from_device, copy->to_device);
    }
  };
  EXPECT_TRUE(is_caught(turn, 3));
}

BenchBlock block_of(const Shape& shape, DType dtype) {
  BenchBlock out;
  out.block = {.dtype = dtype, .shape = shape, .strides = row_major_strides(shape)};
  out.bytes.assign(static_cast<size_t>(elements(shape) * size_of(dtype)), 0);
  return out;
}

// What a kernel of this body writes to 4 elements of each of `threads` threads.
std::string fault_of(const std::string& body, int32_t threads) {
  Twin twin;
  TaskBench bench(twin.api());
  GeneratedKernel kernel{.source = {.parameters = "ES_READ(int) in0, ES_WRITE(int) out0",
                                    .body = body,
                                    .threads = threads},
                         .blocks = 2,
                         .arguments = arguments(1, 1)};
  bench.add({.nodes = {kernel}}, {block_of({2 * threads}, DType::i32)},
            {block_of({2 * threads}, DType::i32)});
  try {
    bench.run();
  } catch (const DeviceError& error) {
    return error.what();
  }
  const BenchBlock& out = bench.writes(0)[0];
  for (int64_t i = 0; i < 2 * threads; ++i) {
    const int64_t at[] = {i};
    if (load_element(DType::i32, out.at(at)) != 0) return "another result";
  }
  return "";
}

constexpr const char* kShares =
    "ES_SHARED(int, shared, 64);\nconst int t = thread_index();\n"
    "const long long i = block_index() * 64 + t;\nshared[t] = ES_GET(in0, i);\n";
constexpr const char* kReads = "ES_SET(out0, i, shared[63 - t]);\n";

TEST(Twin, CatchesAMissingBarrier) {
  EXPECT_EQ(fault_of(std::string(kShares) + "barrier();\n" + kReads, 64), "");
  EXPECT_EQ(fault_of(std::string(kShares) + kReads, 64), "another result");
}

TEST(Twin, CatchesABarrierThatNotAllThreadsReach) {
  const std::string fault = fault_of(std::string(kShares) + "if (t < 7) barrier();\n" + kReads, 64);
  EXPECT_NE(fault.find("has a barrier that not all threads of a block reach"), std::string::npos);
}

TEST(Twin, CatchesAccessesOutsideOfMemory) {
  EXPECT_NE(fault_of("ES_SET(out0, 128, 0);\n", 64).find("writes outside of its memory"),
            std::string::npos);
  EXPECT_NE(fault_of("ES_SET(out0, 0, ES_GET(in0, -1));\n", 64).find("reads outside of its memory"),
            std::string::npos);
}

TEST(Twin, CatchesReadsOfWhatNobodyWrote) {
  Twin twin;
  TaskBench bench(twin.api());
  GeneratedKernel kernel{
      .source = {.parameters = "ES_READ(float) in0, ES_WRITE(float) out0",
                 .body = "ES_LOOP(i, 1) ES_SET(out0, i, ES_GET(in0, i));\n"},
      .blocks = 1,
      .arguments = {{.of = Argument::Of::workspace}, {.of = Argument::Of::write}}};
  bench.add({.nodes = {kernel}, .workspace = kWorkspaceUnit}, {}, {block_of({1}, DType::f32)});
  try {
    bench.run();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("reads what nobody wrote"), std::string::npos);
  }
}

}  // namespace
}  // namespace einsummable::cuda
