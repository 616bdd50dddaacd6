// SPDX-License-Identifier: Apache-2.0
// A call allocates nothing after the first. This program counts what the whole process asks for, by
// malloc and its like, and by mmap, as OpenBLAS does.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace {

std::atomic<int64_t> allocations = 0, mappings = 0;

}  // namespace

extern "C" {

// Those of glibc, under the names they keep when others take theirs.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}

void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  ++mappings;
  const auto mapped = syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  return reinterpret_cast<void*>(mapped);  // NOLINT: an address, or MAP_FAILED
}

}  // extern "C"

namespace einsummable {
namespace {

// The arrays of a call, which are the caller's.
struct Arrays {
  std::vector<Memory> memory;
  std::vector<Executable::Argument> inputs, outputs;

  explicit Arrays(const Graph& graph) {
    Random random(1);
    const std::map<TensorId, Array64> values = random_values(random, graph);
    memory.reserve(values.size() + graph.saves().size());
    for (const auto& [tensor, array] : values) {
      memory.emplace_back(graph.type(tensor), array);
      inputs.push_back({graph.tensor(tensor).name, memory.back().view()});
    }
    for (const GraphSave& save : graph.saves()) {
      memory.emplace_back(graph.type(save.tensor));
      outputs.push_back({save.name, memory.back().view()});
    }
  }
};

// Compiles and calls; gives the allocations of further calls, or -1 if an operator had no fast
// kernel. References allocate.
int64_t allocations_of(const Graph& graph, const CompileOptions& options) {
  const auto executable = compile(graph, options);
  Arrays arrays(graph);
  executable->call(arrays.inputs, arrays.outputs);
  for (const ProfileLine& line : executable->last_profile()) {
    if (line.reference) return -1;
  }
  const int64_t before = allocations;
  for (int call = 0; call < 3; ++call) executable->call(arrays.inputs, arrays.outputs);
  return allocations - before;
}

// All numbers of threads, with memory shared and private.
void expect_no_allocations(const Graph& graph, int64_t devices, int64_t& counted) {
  for (auto sites : {CompileOptions::Sites::shared, CompileOptions::Sites::private_sites}) {
    for (int64_t threads : {1, 2, 4}) {
      const CompileOptions options{.devices = devices,
                                   .objective = kProxy,
                                   .schedule_mode = kNaive,
                                   .threads = threads,
                                   .sites = sites};
      const int64_t found = allocations_of(graph, options);
      EXPECT_LE(found, 0) << threads << " threads\n" << text(graph);
      counted += found >= 0;
    }
  }
}

TEST(Allocations, AreCounted) {
  const int64_t before = allocations;
  const std::vector<char> some(1000);
  EXPECT_EQ(allocations, before + 1 + static_cast<int64_t>(some[0]));
}

TEST(Allocations, NoneInACallOfABlock) {
  int64_t counted = 0;
  const Graph graph = workloads::llama({.batch = 2,
                                        .seq = 48,
                                        .d_model = 64,
                                        .heads = 4,
                                        .kv_heads = 2,
                                        .head_dim = 16,
                                        .d_ff = 96,
                                        .dtype = DType::f32});
  for (int64_t devices : {1, 4, 7}) expect_no_allocations(graph, devices, counted);
  EXPECT_EQ(counted, 18);
}

// A layer of a sentence encoder over packed sentences.
Graph encoder() {
  Graph graph;
  const int64_t tokens = 60, d = 32, heads = 4;
  const std::vector<int64_t> ends = {7, 20, 21, 45, 60};
  const auto one = [&](std::string_view op, std::initializer_list<TensorId> inputs,
                       const Attributes& attributes = {}) {
    return graph.apply(op, inputs, attributes)[0];
  };
  const auto weight = [&](std::initializer_list<int64_t> shape) {
    return graph.parameter(DType::f32, shape);
  };
  const auto dense = [&](TensorId x, int64_t in, int64_t out) {
    return one("add", {one("matmul", {x, weight({in, out})}), weight({out})});
  };
  const auto normed = [&](TensorId x) {
    return one("layer_norm", {x, weight({d}), weight({d})}, {{"eps", 1e-12}});
  };
  const auto split = [&](TensorId x) {
    const Attributes to_heads{{"shape", std::vector<int64_t>{tokens, heads, d / heads}}};
    return one("transpose", {one("reshape", {x}, to_heads)},
               {{"axes", std::vector<int64_t>{1, 0, 2}}});
  };
  const TensorId ids = graph.input(DType::i32, {tokens}, "ids");
  TensorId x = one("embedding", {weight({40, d}), ids});
  const TensorId attended =
      one("attention", {split(dense(x, d, d)), split(dense(x, d, d)), split(dense(x, d, d))},
          {{"ends", ends}});
  const TensorId joined =
      one("reshape", {one("transpose", {attended}, {{"axes", std::vector<int64_t>{1, 0, 2}}})},
          {{"shape", std::vector<int64_t>{tokens, d}}});
  x = normed(one("add", {x, dense(joined, d, d)}));
  const TensorId inner = one("gelu", {dense(x, d, 4 * d)});
  x = normed(one("add", {x, dense(inner, 4 * d, d)}));
  graph.save(one("segment_mean", {x}, {{"ends", ends}, {"axis", int64_t{0}}}), "sentences");
  return graph;
}

TEST(Allocations, NoneInACallOfASentenceEncoder) {
  int64_t counted = 0;
  for (int64_t devices : {1, 4}) expect_no_allocations(encoder(), devices, counted);
  EXPECT_EQ(counted, 12);
}

// A buffer for each thread that multiplies while others do, kept for good.
TEST(Allocations, OpenBlasMapsNoMoreThanABufferAThread) {
  int64_t counted = 0;
  const int64_t before = mappings;
  expect_no_allocations(workloads::ffn(64, 32, 64, DType::f32), 4, counted);
  EXPECT_LE(mappings - before, 4);
}

TEST(Allocations, NoneInACallOfARandomGraphOfFastKernels) {
  int64_t counted = 0;
  for (int round = 0; round < rounds(20, 300); ++round) {
    Random random(static_cast<uint64_t>(round));
    const DType dtype = round % 3 == 2 ? DType::bf16 : DType::f32;
    expect_no_allocations(random_graph(random, 12, dtype), 1 + round % 5, counted);
  }
  EXPECT_GT(counted, 0);
}

}  // namespace
}  // namespace einsummable
