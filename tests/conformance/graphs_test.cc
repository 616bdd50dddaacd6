// SPDX-License-Identifier: Apache-2.0
// Random whole graphs on any number of virtual devices equal their references, bit for bit the same
// with private sites, and pass verification.

#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/compile.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

// An array in memory of a dtype, dense.
struct Memory {
  std::vector<std::byte> bytes;
  Shape shape;
  std::vector<int64_t> strides;
  DType dtype = DType::f32;

  explicit Memory(const TensorType& type)
      : bytes(static_cast<size_t>(type.bytes())),
        shape(type.shape()),
        strides(row_major_strides(shape)),
        dtype(type.dtype) {}

  StridedView view() { return {bytes.data(), dtype, shape, strides}; }
};

struct Results {
  std::vector<Memory> saved;
  std::vector<std::byte> all() const {
    std::vector<std::byte> out;
    for (const Memory& memory : saved)
      out.insert(out.end(), memory.bytes.begin(), memory.bytes.end());
    return out;
  }
};

Results run(Executable& executable, const Graph& graph, const std::map<TensorId, Array64>& values) {
  std::vector<Memory> arrays;
  std::vector<Executable::Argument> inputs, outputs;
  arrays.reserve(values.size());
  for (const auto& [id, array] : values) {
    arrays.emplace_back(graph.type(id));
    for (size_t i = 0; i < array.values().size(); ++i) {
      const auto size = static_cast<size_t>(size_of(arrays.back().dtype));
      store_element(arrays.back().dtype, arrays.back().bytes.data() + i * size, array.values()[i]);
    }
    inputs.push_back({graph.tensor(id).name, arrays.back().view()});
  }
  Results results;
  results.saved.reserve(graph.saves().size());
  for (const GraphSave& save : graph.saves()) {
    results.saved.emplace_back(graph.type(save.tensor));
    outputs.push_back({save.name, results.saved.back().view()});
  }
  executable.call(inputs, outputs);
  return results;
}

// The largest difference from the reference over all saved tensors, as a part of the largest value.
double difference(const Graph& graph, const Results& results,
                  const std::map<TensorId, Array64>& reference) {
  double worst = 0;
  for (size_t s = 0; s < graph.saves().size(); ++s) {
    const Array64& expected = reference.at(graph.saves()[s].tensor);
    const Memory& got = results.saved[s];
    double scale = 1;
    for (double value : expected.values()) scale = std::max(scale, std::abs(value));
    for (size_t i = 0; i < expected.values().size(); ++i) {
      const double value =
          load_element(got.dtype, got.bytes.data() + i * static_cast<size_t>(size_of(got.dtype)));
      worst = std::max(worst, std::abs(value - expected.values()[i]) / scale);
      if (std::isnan(value) != std::isnan(expected.values()[i])) return INFINITY;
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
    const auto shared = compile(graph, options);
    options.sites = CompileOptions::Sites::private_sites;
    const auto isolated = compile(graph, options);
    const Results a = run(*shared, graph, values), b = run(*isolated, graph, values);
    EXPECT_LE(difference(graph, a, reference), dtype == DType::f32 ? 2e-5 : 1e-12);
    EXPECT_EQ(a.all(), b.all()) << "private sites give other bits";
    EXPECT_EQ(a.all(), run(*shared, graph, values).all()) << "a second call gives other bits";
    operators += static_cast<int64_t>(shared->graph().ops().size());
    tasks += static_cast<int64_t>(shared->tasks().tasks.size());
    if (HasFailure()) return;
  }
  printf("%lld operators, %lld tasks\n", static_cast<long long>(operators),
         static_cast<long long>(tasks));
}

}  // namespace
}  // namespace einsummable
