// SPDX-License-Identifier: Apache-2.0
// What a table of functions does without kernels: products of any layout, batch and epilogue, and
// copies. On the twin, on the plugin over fakes of a driver and cuBLASLt, or on GPUs.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "einsummable/executor/cuda/devices.h"
#include "einsummable/executor/cuda/measure.h"
#include "tests/executor/cuda/operator_bench.h"
#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::BenchBlock;
using cuda_twin::Table;

// A matrix of a batch by rows or by columns, with room between lines and matrices, or one for all.
BenchBlock random_matrix(const Shape& shape, DType dtype, bool shared, Random& random) {
  const bool by_rows = random() % 2;
  const int64_t line = shape[by_rows ? 2 : 1], lines = shape[by_rows ? 1 : 2];
  const int64_t stride = std::max<int64_t>(line + random_below(random, 3), by_rows ? 1 : 2);
  const int64_t matrix = shared ? 0 : lines * stride + random_below(random, 2);
  BenchBlock out;
  out.block = {.dtype = dtype,
               .shape = shape,
               .strides = {matrix, by_rows ? stride : 1, by_rows ? 1 : stride},
               .alignment = size_of(dtype)};
  out.start = random_below(random, 3) * size_of(dtype);
  const int64_t elements = (shape[0] - 1) * matrix + lines * stride;
  out.bytes.assign(static_cast<size_t>(out.start + elements * size_of(dtype)), 0xff);
  return out;
}

Array64 random_values(const Shape& shape, bool shared, Random& random) {
  Array64 all = random_integers(random, shape, 2);
  const size_t one = all.values().size() / static_cast<size_t>(shape[0]);
  for (size_t i = one; shared && i < all.values().size(); ++i) {
    all.values()[i] = all.values()[i - one];
  }
  return all;
}

double activated(double x, Activation activation) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu_tanh:
      return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  return x;
}

Matrix matrix_of(const BenchBlock& x) {
  return {.address = 256 + static_cast<Address>(x.start),
          .element = static_cast<Element>(x.block.dtype),
          .row_stride = x.block.strides[1],
          .column_stride = x.block.strides[2],
          .batch_stride = x.block.strides[0]};
}

enum class Epilogue : uint8_t { none, random };

struct Extents {
  int64_t batch, m, n, k;
};

// A product of small integers, with everything else at random.
struct RandomProduct {
  Array64 a, b, residual, bias;
  std::vector<BenchBlock> reads;  // in that order
  BenchBlock c;
  ProductCall call;

  RandomProduct(const Extents& x, DType operands, DType out, Epilogue epilogue, Random& random) {
    const bool shared_a = random() % 4 == 0, shared_b = random() % 4 == 0;
    a = random_values({x.batch, x.m, x.k}, shared_a, random);
    b = random_values({x.batch, x.k, x.n}, shared_b, random);
    residual = random_integers(random, {x.batch, x.m, x.n}, 2);
    c = random_matrix({x.batch, x.m, x.n}, out, false, random);
    const int64_t line = c.block.strides[2] == 1 ? x.n : x.m;
    bias = random_integers(random, {line}, 2);
    reads = {random_matrix({x.batch, x.m, x.k}, operands, shared_a, random),
             random_matrix({x.batch, x.k, x.n}, operands, shared_b, random), c, c};
    reads[3].block.shape = {line};
    reads[3].block.strides = {1};
    fill(reads[0], a);
    fill(reads[1], b);
    fill(reads[2], residual);
    fill(reads[3], bias);
    call.product.device = 0;
    call.product.m = x.m;
    call.product.n = x.n;
    call.product.k = x.k;
    call.product.batch = x.batch;
    describe();
    if (epilogue == Epilogue::random) extend(random);
  }

  void describe() {
    Product& product = call.product;
    product.a = matrix_of(reads[0]);
    product.b = matrix_of(reads[1]);
    product.c = matrix_of(c);
    product.workspace = product.workspace_bytes = kWorkspaceUnit;
    call.a = {.of = Argument::Of::read, .index = 0};
    call.b = {.of = Argument::Of::read, .index = 1};
    call.c = {.of = Argument::Of::write, .index = 0};
    call.workspace = {.of = Argument::Of::workspace};
  }

  void extend(Random& random) {
    Product& product = call.product;
    product.activation = static_cast<Activation>(random() % 3);
    if (random() % 2) {
      product.residual = product.c.address;
      call.residual = {.of = Argument::Of::read, .index = 2};
    }
    if (random() % 2) {
      product.bias = product.c.address;
      call.bias = {.of = Argument::Of::read, .index = 3};
    }
  }

  Array64 wanted() const {
    Array64 out = residual;
    const bool by_rows = c.block.strides[2] == 1;
    for_each_position(out.bounds(), [&](std::span<const int64_t> at) {
      double sum = call.residual ? residual.at(at) : 0;
      if (call.bias) sum += bias.at({at[by_rows ? 2 : 1]});
      for (int64_t k = 0; k < call.product.k; ++k) {
        sum += a.at({at[0], at[1], k}) * b.at({at[0], k, at[2]});
      }
      out.at(at) = activated(sum, call.product.activation);
    });
    return out;
  }
};

// Adds a product, unless the table's library has none with that epilogue.
void add_product(OperatorBench& bench, const Extents& x, DType operands, DType out,
                 Epilogue epilogue, Random& random) {
  RandomProduct made(x, operands, out, epilogue, random);
  const Status has = bench.table().api().has_product(&made.call.product);
  if (epilogue == Epilogue::random && has == Status::unsupported) return;
  ASSERT_EQ(has, Status::ok);
  const Array64 wanted = made.wanted();
  bench.add({.nodes = {made.call}, .workspace = kWorkspaceUnit}, std::move(made.reads),
            {std::move(made.c)},
            {.what = "a product of " + std::string(long_name(operands)),
             .computed = operands,
             .values = {wanted}});
}

TEST(Products, OfAnyLayoutBatchAndEpilogue) {
  OperatorBench bench;
  Random random(3);
  constexpr std::pair<DType, DType> kTypes[] = {
      {DType::f32, DType::f32},   {DType::f64, DType::f64}, {DType::f16, DType::f16},
      {DType::bf16, DType::bf16}, {DType::f16, DType::f32}, {DType::bf16, DType::f32}};
  for (int64_t round = 0; round < rounds(120, 2000); ++round) {
    const auto [operands, out] = kTypes[static_cast<size_t>(round) % std::size(kTypes)];
    const auto extent = [&] { return 1 + random_below(random, 6); };
    add_product(bench, {extent(), extent(), extent(), extent()}, operands, out,
                round % 5 == 0 ? Epilogue::none : Epilogue::random, random);
  }
  bench.run();
}

// More matrices than algorithms take at a time.
TEST(Products, OfLargeBatches) {
  OperatorBench bench;
  Random random(4);
  for (int64_t batch : {32768, 32769, 70000}) {
    for (Epilogue epilogue : {Epilogue::none, Epilogue::random}) {
      add_product(bench, {batch, 2, 1, 1}, DType::f32, DType::f32, epilogue, random);
    }
  }
  bench.run();
}

// With a kernel, so with a compiler.
TEST(Products, AreMeasuredOnEveryDevice) {
  const Table table;
  Devices devices(table.api());
  for (int32_t device = 0; device < table.devices(2); ++device) {
    EXPECT_FALSE(measure(devices, device).products.empty());
  }
  EXPECT_EQ(table.unreleased(), 0);
}

// A chain of copies over all devices, there and back, again and again.
TEST(Products, GraphsOfCopiesRunOnEveryDevice) {
  const Table table;
  const Api& api = table.api();
  Devices devices(api);
  const int32_t count = table.devices(2);
  constexpr uint64_t kBytes = 1 << 12;
  std::vector<Address> places;
  for (int32_t device = 0; device < count; ++device) {
    ASSERT_EQ(api.allocate(device, kBytes, &places.emplace_back()), Status::ok);
  }
  void* memory = nullptr;
  Address host = 0;
  ASSERT_EQ(api.allocate_pinned(2 * kBytes, &memory, &host), Status::ok);
  auto* bytes = static_cast<unsigned char*>(memory);
  GraphHandle graph = 0;
  ASSERT_EQ(api.create_graph(&graph), Status::ok);
  std::vector<Node> after;
  const auto add = [&](const Copy& copy) {
    Node node = 0;
    ASSERT_EQ(api.add_copy(graph, after.data(), after.size(), &copy, &node), Status::ok);
    after = {node};
  };
  int32_t at = count - 1;
  add({host, places[static_cast<size_t>(at)], kHost, at, kBytes});
  for (int32_t next = 0; next < count; ++next) {
    if (next == at || !devices.reaches(at, next)) continue;
    add({places[static_cast<size_t>(at)], places[static_cast<size_t>(next)], at, next, kBytes});
    at = next;
  }
  add({places[static_cast<size_t>(at)], host + kBytes, at, kHost, kBytes});
  Launchable launchable = 0;
  ASSERT_EQ(api.instantiate(graph, &launchable), Status::ok);
  for (int launch = 0; launch < 3; ++launch) {
    std::iota(bytes, bytes + kBytes, static_cast<unsigned char>(launch));
    ASSERT_EQ(api.launch(launchable), Status::ok);
    Status status = Status::not_ready;
    while (status == Status::not_ready) status = api.poll(launchable);
    ASSERT_EQ(status, Status::ok);
    EXPECT_TRUE(std::equal(bytes, bytes + kBytes, bytes + kBytes));
  }
  EXPECT_EQ(api.destroy_launchable(launchable), Status::ok);
  EXPECT_EQ(api.destroy_graph(graph), Status::ok);
  EXPECT_EQ(api.release_pinned(memory), Status::ok);
  for (int32_t device = 0; device < count; ++device) {
    EXPECT_EQ(api.release(device, places[static_cast<size_t>(device)]), Status::ok);
  }
  Address none = 0;
  EXPECT_EQ(api.allocate(0, 0, &none), Status::failed);
  EXPECT_EQ(api.allocate(99, 1, &none), Status::failed);
  EXPECT_EQ(table.unreleased(), 0);
}

// A launch on the first device that waits for the second one, which is lost.
TEST(Products, LaunchesSayThatAnotherDeviceIsLost) {
  const Table table;
  const Api& api = table.api();
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* found = driver ? dlsym(driver, "fake_cuda_lose") : nullptr;
  if (!found) GTEST_SKIP() << "no device can be lost";
  const auto lose = reinterpret_cast<void (*)(int device, int lost)>(found);
  GraphHandle graph = 0;
  ASSERT_EQ(api.create_graph(&graph), Status::ok);
  std::vector<Address> places(2);
  for (int32_t device = 0; device < 2; ++device) {
    Address& place = places[static_cast<size_t>(device)];
    ASSERT_EQ(api.allocate(device, 512, &place), Status::ok);
    const Copy copy{place, place + 256, device, device, 256};
    Node node = 0;
    ASSERT_EQ(api.add_copy(graph, nullptr, 0, &copy, &node), Status::ok);
  }
  Launchable launchable = 0;
  ASSERT_EQ(api.instantiate(graph, &launchable), Status::ok);
  ASSERT_EQ(api.launch(launchable), Status::ok);
  EXPECT_EQ(api.poll(launchable), Status::ok);
  lose(1, 1);
  EXPECT_EQ(api.poll(launchable), Status::lost);
  lose(1, 0);
  lose(0, 1);
  EXPECT_EQ(api.poll(launchable), Status::lost);
  lose(0, 0);
  EXPECT_EQ(api.poll(launchable), Status::ok);
  EXPECT_EQ(api.destroy_launchable(launchable), Status::ok);
  EXPECT_EQ(api.destroy_graph(graph), Status::ok);
  for (int32_t device = 0; device < 2; ++device) {
    EXPECT_EQ(api.release(device, places[static_cast<size_t>(device)]), Status::ok);
  }
}

}  // namespace
}  // namespace einsummable::cuda
