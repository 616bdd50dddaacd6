// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/chain.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// The product of matrices is the same however it is parenthesised: so are its extents, and the
// number of products is that of the matrices less one.
TEST(Chain, MultipliesEveryMatrixOnce) {
  const std::pair<std::string_view, size_t> matrices[] = {
      {"A", 9}, {"B", 5}, {"C", 3}, {"D", 9}, {"E", 13}};
  for (const auto& [name, count] : matrices) {
    const Graph graph = workloads::chain(name, 64);
    EXPECT_EQ(graph.ops().size(), count - 1) << name;
    const TensorId first = graph.find_tensor("M1");
    const TensorId last = graph.find_tensor("M" + std::to_string(count));
    ASSERT_TRUE(first.valid() && last.valid()) << name;
    EXPECT_FALSE(graph.find_tensor("M" + std::to_string(count + 1)).valid());
    const TensorType& y = graph.type(graph.saves()[0].tensor);
    EXPECT_EQ(y.extent(0), graph.type(first).extent(0));
    EXPECT_EQ(y.extent(1), graph.type(last).extent(1));
  }
}

TEST(Chain, RefusesOtherNamesAndScales) {
  EXPECT_THROW(workloads::chain("F"), GraphError);
  EXPECT_THROW(workloads::chain("A", 0), GraphError);
  EXPECT_EQ(workloads::chain("C", 1'000'000).ops().size(), 2u);
}

}  // namespace
}  // namespace einsummable
