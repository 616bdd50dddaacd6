// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/ffn.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

TEST(Ffn, IsThePapersNetwork) {
  const Graph graph = workloads::ffn(8, 4, 16, DType::f16);
  verify(graph);
  std::vector<std::string> names;
  for (const GraphOp& op : graph.ops()) names.push_back(op.op->name());
  EXPECT_EQ(names, (std::vector<std::string>{"matmul", "relu", "matmul"}));
  EXPECT_EQ(describe(graph.type(graph.saves()[0].tensor)), "float16[8, 4]");
  EXPECT_THROW(workloads::ffn(-1, 4, 16), GraphError);
}

}  // namespace
}  // namespace einsummable
