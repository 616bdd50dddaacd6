// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/llama.h"

#include <gtest/gtest.h>

#include <cmath>

#include "einsummable/base/error.h"
#include "tests/support/random_graph.h"

namespace einsummable {
namespace {

workloads::LlamaOptions small() {
  return {.batch = 2,
          .seq = 3,
          .d_model = 8,
          .heads = 4,
          .kv_heads = 2,
          .head_dim = 2,
          .d_ff = 6,
          .dtype = DType::f64};
}

std::map<TensorId, Array64> with_positions(const Graph& graph, std::map<TensorId, Array64> values) {
  const TensorId positions = graph.find_tensor("positions");
  for (int64_t i = 0; positions.valid() && i < 6; ++i) values.at(positions).at({i}) = double(i % 3);
  return values;
}

// Weights of both styles hold the same numbers in the same order, so the results agree.
TEST(Llama, BothHeadStylesComputeTheSame) {
  for (bool rope : {false, true}) {
    workloads::LlamaOptions options = small();
    options.rope = rope;
    const Graph indexed = workloads::llama(options);
    options.style = workloads::HeadStyle::flat;
    const Graph flat = workloads::llama(options);
    Random random(1);
    const auto given = with_positions(indexed, random_values(random, indexed));
    std::map<TensorId, Array64> same;
    for (const auto& [id, array] : given) {
      const TensorId other = flat.find_tensor(indexed.tensor(id).name);
      ASSERT_TRUE(other.valid()) << indexed.tensor(id).name;
      Array64 values(flat.type(other).bounds);
      ASSERT_EQ(values.size(), array.size());
      values.values() = array.values();
      same.emplace(other, std::move(values));
    }
    const Array64 a = evaluate(indexed, given).at(indexed.saves()[0].tensor);
    const Array64 b = evaluate(flat, same).at(flat.saves()[0].tensor);
    ASSERT_EQ(a.bounds(), b.bounds());
    for (size_t i = 0; i < a.values().size(); ++i) {
      EXPECT_NEAR(a.values()[i], b.values()[i], 1e-12);
    }
  }
}

TEST(Llama, LayersAreNamedAndChained) {
  workloads::LlamaOptions options = small();
  options.layers = 3;
  const Graph graph = workloads::llama(options);
  EXPECT_TRUE(graph.find_op("layers.0.norm1").valid());
  EXPECT_TRUE(graph.find_op("layers.2.attention").valid());
  EXPECT_EQ(graph.ops().size(), 3 * workloads::llama(small()).ops().size());
  options.kv_heads = 3;
  EXPECT_THROW(workloads::llama(options), GraphError);
}

}  // namespace
}  // namespace einsummable
