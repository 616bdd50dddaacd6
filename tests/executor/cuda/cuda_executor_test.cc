// SPDX-License-Identifier: Apache-2.0
// Whole graphs on devices of the host twin: results, errors, and that nothing is left behind.
#include "einsummable/executor/cuda/cuda_executor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/executor/cuda/devices.h"
#include "einsummable/executor/cuda/stamps.h"
#include "tests/support/cuda_twin/table.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::Recorded;
using cuda_twin::Table;
using cuda_twin::Twin;
using cuda_twin::TwinOptions;

// A workspace that arenas of many sites have room for.
constexpr KernelOptions kSmall = {.library_attention = true, .product_workspace = 1024};

// Sites one after another on the devices of a twin.
std::vector<int32_t> in_turn(int64_t sites, int32_t devices) {
  std::vector<int32_t> out;
  for (int64_t site = 0; site < sites; ++site) out.push_back(static_cast<int32_t>(site % devices));
  return out;
}

std::shared_ptr<Executor> executor_on(Devices& devices, std::vector<int32_t> of_sites,
                                      double time_limit = 600) {
  return std::make_shared<CudaExecutor>(
      devices.api(),
      CudaOptions{.devices = std::move(of_sites),
                  .kernels = kSmall,
                  .reaches = [&devices](int32_t a, int32_t b) { return devices.reaches(a, b); },
                  .threads = 2,
                  .time_limit = time_limit});
}

double difference(const Graph& graph, const std::vector<Memory>& results,
                  const std::map<TensorId, Array64>& reference) {
  double worst = 0;
  for (size_t s = 0; s < graph.saves().size(); ++s) {
    const std::vector<double>& expected = reference.at(graph.saves()[s].tensor).values();
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

struct Machine {
  int32_t devices = 2;
  std::function<bool(int32_t, int32_t)> peers = [](int32_t a, int32_t b) { return a < b; };
};

// A random graph compiled for `p` sites equals its reference, twice with the same bits, and gives
// everything back.
void check_round(int64_t round, int64_t p, const Machine& machine) {
  Random random(static_cast<uint64_t>(round) + 1000);
  const DType dtype = round % 3 == 0 ? DType::f64 : DType::f32;
  const Graph graph = random_graph(random, 3 + round % 10, dtype);
  const auto values = random_values(random, graph);
  SCOPED_TRACE("round " + std::to_string(round) + ", p " + std::to_string(p) + "\n" + text(graph));
  const Table table({.devices = machine.devices,
                     .memory = uint64_t{1} << 32,
                     .seed = random(),
                     .peers = machine.peers});
  {
    Devices devices(table.api());
    CompileOptions options{.devices = p,
                           .selector = round % 2 ? Selector::random : Selector::optimal,
                           .seed = random(),
                           .objective = kProxy};
    if (options.selector == Selector::optimal && round % 4 == 0) options.objective = {};
    options.executor = executor_on(devices, in_turn(p, table.devices(machine.devices)));
    const auto executable = compile(graph, options);
    const std::vector<Memory> results = call(*executable, graph, values);
    EXPECT_LE(difference(graph, results, evaluate(graph, values)),
              dtype == DType::f32 ? 2e-5 : 1e-12);
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(hash_of(results), hash_of(call(*executable, graph, values)));
    }
  }
  EXPECT_EQ(table.unreleased(), 0);
}

TEST(CudaExecutor, RandomGraphsEqualTheirReferences) {
  for (int64_t round = 0; round < rounds(40, 600); ++round) {
    constexpr int64_t kSites[] = {1, 2, 3, 5, 8};
    check_round(round, kSites[round % 5], {});
    if (HasFailure()) return;
  }
}

TEST(CudaExecutor, RandomGraphsEqualTheirReferencesOnOtherMachines) {
  const auto all = [](int32_t, int32_t) { return true; };
  const auto none = [](int32_t, int32_t) { return false; };
  for (int64_t round = 0; round < rounds(6, 600); ++round) {
    const int32_t devices = round % 3 == 0 ? 1 : round % 3 == 1 ? 3 : 8;
    check_round(round, devices == 1 ? 1 + round % 7 : devices,
                {devices, round % 2   ? Machine{}.peers
                          : round % 4 ? all
                                      : none});
    if (HasFailure()) return;
  }
}

TEST(CudaExecutor, GivesTheSameBitsAtEveryLaunch) {
  Random random(6);
  const Graph graph = random_graph(random, 12, DType::f32);
  const auto values = random_values(random, graph);
  const Table table;
  Devices devices(table.api());
  CompileOptions options{.devices = 4, .objective = kProxy};
  options.executor = executor_on(devices, in_turn(4, table.devices(2)));
  const auto executable = compile(graph, options);
  const uint64_t first = hash_of(call(*executable, graph, values));
  for (int64_t launch = 1; launch < rounds(50, 1000); ++launch) {
    ASSERT_EQ(hash_of(call(*executable, graph, values)), first) << "launch " << launch;
  }
}

// y = relu(x w), saved; ids of a table, looked up.
Graph small_graph() {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {12, 16}, "x");
  const TensorId w = graph.parameter(DType::f32, {16, 8}, "w");
  graph.save(graph.apply("relu", {graph.apply("matmul", {x, w}, {}, "up").at(0)}).at(0), "y");
  return graph;
}

Graph lookup_graph() {
  Graph graph;
  const TensorId table = graph.input(DType::f32, {10, 4}, "table");
  const TensorId ids = graph.input(DType::i32, {2, 6}, "ids");
  graph.save(graph.apply("embedding", {table, ids}, {}, "look").at(0), "y");
  return graph;
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

CompileOptions on(std::shared_ptr<Executor> executor, int64_t sites) {
  return {.devices = sites, .objective = kProxy, .executor = std::move(executor)};
}

TEST(CudaExecutor, NamesIdsOutOfRangeAsTheCpuDoes) {
  const Graph graph = lookup_graph();
  Random random(1);
  std::map<TensorId, Array64> values = random_values(random, graph);
  for (const int64_t sites : {1, 2, 3}) {
    Twin twin;
    Devices devices(twin.api());
    Array64& ids = values.at(graph.find_tensor("ids"));
    std::ranges::fill(ids.values(), 3);
    ids.values()[9] = -2;
    ids.values()[8] = 10;
    const auto cpu = compile(graph, {.devices = sites, .objective = kProxy});
    const auto cuda = compile(graph, on(executor_on(devices, in_turn(sites, 2)), sites));
    const std::string wanted = message_of([&] { call(*cpu, graph, values); });
    EXPECT_NE(wanted.find("the id 10 at position [1, 2]"), std::string::npos) << wanted;
    EXPECT_EQ(message_of([&] { call(*cuda, graph, values); }), wanted);
    ids.values()[8] = ids.values()[9] = 0;
    EXPECT_EQ(hash_of(call(*cuda, graph, values)), hash_of(call(*cpu, graph, values)));
  }
}

TEST(CudaExecutor, SaysWhichDevicesThereAre) {
  Twin twin({.devices = 2});
  Devices devices(twin.api());
  EXPECT_EQ(message_of([&] {
              executor_on(devices, {0, 2});
            }),
            "there is no CUDA device 2: there are devices 0 to 1");
  EXPECT_THROW(executor_on(devices, {-1}), DeviceError);
}

TEST(CudaExecutor, SitesOnOneDeviceShareMemory) {
  Twin twin;
  Devices devices(twin.api());
  EXPECT_EQ(executor_on(devices, {1, 1, 1})->traits().memory, Traits::Memory::shared);
  EXPECT_EQ(executor_on(devices, {1, 0, 1})->traits().memory, Traits::Memory::private_sites);
}

TEST(CudaExecutor, NamesDeviceAndBytesWhereMemoryEnds) {
  Twin twin({.memory = 1000});
  Devices devices(twin.api());
  const std::string message = message_of([&] {
    compile(small_graph(), on(executor_on(devices, {1, 1}), 2));
  });
  EXPECT_TRUE(message.starts_with("device 1 (twin) does not give ")) << message;
  EXPECT_NE(message.find(" bytes for sites 0, 1: 1000 bytes are free"), std::string::npos)
      << message;
  EXPECT_EQ(twin.unreleased(), 0);
}

// Whatever call fails while a program is compiled, the error is typed and nothing is left behind.
TEST(CudaExecutor, GivesEverythingBackWhereACallFails) {
  for (const char* function :
       {"allocate", "allocate_pinned", "compiler", "compile", "load", "create_graph", "add_kernel",
        "add_product", "add_copy", "instantiate"}) {
    for (const Status status : {Status::failed, Status::out_of_memory, Status::lost}) {
      Twin twin({.peers = [](int32_t, int32_t) { return true; }});
      const Graph graph = small_graph();
      const auto executor = std::make_shared<CudaExecutor>(
          twin.api(), CudaOptions{.devices = {0, 1},
                                  .kernels = kSmall,
                                  .reaches = [](int32_t, int32_t) { return true; }});
      twin.fail(function, 0, status);
      CompileOptions options = on(executor, 2);
      options.pins = {{"up", {{"j", 2}}}};
      const std::string message = message_of([&] { compile(graph, options); });
      EXPECT_NE(message.find("as the test wants"), std::string::npos) << function << message;
      EXPECT_EQ(twin.unreleased(), 0) << function;
    }
  }
}

TEST(CudaExecutor, GeneratesAttentionThatTheLibraryDoesNotServe) {
  Graph graph;
  const TensorId q = graph.input(DType::f16, {4, 6, 16}, "q");
  const TensorId k = graph.input(DType::f16, {2, 6, 16}, "k");
  graph.save(graph.apply("attention", {q, k, k}, {}, "attend").at(0), "y");
  Random random(8);
  const auto values = random_values(random, graph);
  Twin twin;
  Devices devices(twin.api());
  const auto library = compile(graph, on(executor_on(devices, {0}), 1));
  twin.fail("add_attention", 0, Status::unsupported);
  const auto generated = compile(graph, on(executor_on(devices, {0}), 1));
  twin.fail("add_attention", 0, Status::failed);
  EXPECT_THROW(compile(graph, on(executor_on(devices, {0}), 1)), DeviceError);
  const auto reference = evaluate(graph, values);
  EXPECT_LE(difference(graph, call(*library, graph, values), reference), 2e-3);
  EXPECT_LE(difference(graph, call(*generated, graph, values), reference), 2e-3);
}

TEST(CudaExecutor, AFailedLaunchEndsOneExecutableAlone) {
  const Graph graph = small_graph();
  Random random(2);
  const auto values = random_values(random, graph);
  Twin twin;
  Devices devices(twin.api());
  {
    const auto first = compile(graph, on(executor_on(devices, {0}), 1));
    const auto second = compile(graph, on(executor_on(devices, {0}), 1));
    const std::vector<Memory> wanted = call(*first, graph, values);
    twin.fail("launch", 0, Status::failed);
    EXPECT_THROW(call(*first, graph, values), DeviceError);
    EXPECT_THROW(call(*first, graph, values), DeviceError);
    EXPECT_EQ(hash_of(call(*second, graph, values)), hash_of(wanted));
    EXPECT_THROW(second->last_profile(), DeviceError);
    EXPECT_THROW(second->last_spans(), DeviceError);
  }
  EXPECT_EQ(twin.unreleased(), 0);
}

// Every task begins when those before it on the same device have ended, and bits are the same.
TEST(CudaExecutor, TimesTasksIfAsked) {
  for (int64_t round = 0; round < rounds(6, 100); ++round) {
    Random random(static_cast<uint64_t>(round) + 31);
    const Graph graph = random_graph(random, 8, DType::f32);
    const auto values = random_values(random, graph);
    const Table table({.seed = random()});
    {
      Devices devices(table.api());
      CudaOptions given{.devices = in_turn(3, table.devices(2)), .kernels = kSmall};
      CompileOptions options = on(std::make_shared<CudaExecutor>(devices.api(), given), 3);
      const auto plain = compile(graph, options);
      given.timed = true;
      options.executor = std::make_shared<CudaExecutor>(devices.api(), given);
      const auto timed = compile(graph, options);
      EXPECT_EQ(hash_of(call(*plain, graph, values)), hash_of(call(*timed, graph, values)));
      const std::vector<Span> spans = timed->last_spans();
      const TaskGraph& tasks = timed->tasks();
      ASSERT_EQ(spans.size(), tasks.tasks.size());
      const auto device_of = [&](size_t task) {
        return stamping_device(tasks, tasks.tasks[task], given.devices);
      };
      for (size_t task = 0; task < spans.size(); ++task) {
        EXPECT_GE(spans[task].start, 0);
        EXPECT_GE(spans[task].seconds, 0);
        for (TaskId before : tasks.tasks[task].after) {
          if (device_of(before.index()) != device_of(task)) continue;
          const Span& earlier = spans[before.index()];
          EXPECT_GE(spans[task].start, earlier.start + earlier.seconds);
        }
      }
      EXPECT_EQ(timed->last_profile().empty(), spans.empty());
      if (spans.empty()) continue;
      EXPECT_THROW(plain->last_profile(), DeviceError);
    }
    EXPECT_EQ(table.unreleased(), 0);
  }
}

TEST(CudaExecutor, GivesUpALaunchThatHangs) {
  const Graph graph = small_graph();
  Random random(3);
  const auto values = random_values(random, graph);
  Twin twin;
  Devices devices(twin.api());
  {
    const auto executable = compile(graph, on(executor_on(devices, {0}, 0.05), 1));
    twin.hang();
    EXPECT_EQ(message_of([&] { call(*executable, graph, values); }),
              "a launch of the CUDA graph has not ended after 0.05 seconds, and is given up");
    EXPECT_THROW(call(*executable, graph, values), DeviceError);
  }
  EXPECT_GT(twin.unreleased(), 0) << "devices still write there";
  twin.release_hang();
}

// Devices that wait for a lost one use their memory still, and freeing it would wait for them.
TEST(CudaExecutor, FreesNothingOfALaunchThatALostDeviceEnded) {
  const Graph graph = small_graph();
  Random random(5);
  const auto values = random_values(random, graph);
  Twin twin;
  Devices devices(twin.api());
  {
    const auto executable = compile(graph, on(executor_on(devices, {0}), 1));
    const auto other = compile(graph, on(executor_on(devices, {1}), 1));
    const std::vector<Memory> wanted = call(*executable, graph, values);
    twin.fail("poll", 0, Status::lost);
    const std::string message = message_of([&] { call(*executable, graph, values); });
    EXPECT_NE(message.find("the device is lost to this process"), std::string::npos) << message;
    EXPECT_EQ(message_of([&] { call(*executable, graph, values); }), message);
    EXPECT_EQ(hash_of(call(*other, graph, values)), hash_of(wanted));
    twin.fail("poll", 0, Status::lost);
  }
  EXPECT_GT(twin.unreleased(), 0);
}

TEST(CudaExecutor, StopsOnceALaunchHasEnded) {
  const Graph graph = small_graph();
  Random random(4);
  const auto values = random_values(random, graph);
  Twin twin;
  Devices devices(twin.api());
  const auto executable = compile(graph, on(executor_on(devices, {0}), 1));
  const std::vector<Memory> wanted = call(*executable, graph, values);
  twin.hang();
  Memory x(graph.type(graph.find_tensor("x")), values.at(graph.find_tensor("x")));
  const Executable::Argument input{"x", x.view()};
  const auto interrupted = [&] {
    twin.release_hang();
    return true;
  };
  EXPECT_EQ(message_of([&] {
              executable->call({&input, 1}, {}, interrupted);
            }),
            "the call was interrupted");
  EXPECT_EQ(hash_of(call(*executable, graph, values)), hash_of(wanted));
}

}  // namespace
}  // namespace einsummable::cuda
