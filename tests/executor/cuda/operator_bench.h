// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/ops/operator.h"
#include "tests/support/cuda_twin/table.h"
#include "tests/support/cuda_twin/task_bench.h"

namespace einsummable::cuda {

// A block with random padding between rows, a random order of axes, and a random start. All bytes
// are such that nobody may touch them.
cuda_twin::BenchBlock random_block(const Box& box, DType dtype, Random& random);

// Gives a block its values.
void fill(cuda_twin::BenchBlock& block, const Array64& values);

// Tasks on a table, and the blocks that they must give.
class OperatorBench {
 public:
  // One cell of an operator, whose blocks must be those of the float64 reference.
  void add(const Operator& op, const JoinAggSpec& spec, int64_t cell,
           const std::vector<Array64>& inputs, const KernelOptions& options, Random& random);

  // Any other task. `what` it is says a failure; values are `computed` in that dtype.
  struct Expected {
    std::string what;
    DType computed = DType::f64;
    std::vector<Array64> values;
  };
  void add(PreparedTask task, std::vector<cuda_twin::BenchBlock> reads,
           std::vector<cuda_twin::BenchBlock> writes, Expected expected);

  // Runs all of them, and compares: a gtest failure names the first that gives something else.
  void run();

  size_t size() const { return tasks_.size(); }
  const cuda_twin::Table& table() const { return table_; }

 private:
  cuda_twin::Table table_;
  cuda_twin::TaskBench tasks_{table_.api()};
  std::vector<Expected> expected_;
};

}  // namespace einsummable::cuda
