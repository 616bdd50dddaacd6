// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/executor/expression.h"
#include "einsummable/task/task_graph.h"

namespace einsummable {

// What an elementwise operator computes of an element of each input, of these dtypes.
Expression expression_of(const Operator& op, std::span<const DType> inputs);

// What a run of elementwise operators does: the steps of a task in order. Inputs are the task's
// reads, the only output is the last step's.
Expression expression_of(const Graph& graph, const Task& task, std::span<const DType> reads);

// The strides with which an input is read by an output of `shape`: its axes are the last ones, and
// those of extent 1 stay where they are.
std::vector<int64_t> broadcast_strides(std::span<const int64_t> input_shape,
                                       std::span<const int64_t> input_strides,
                                       std::span<const int64_t> shape);

}  // namespace einsummable
