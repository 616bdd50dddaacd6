// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/task/task_graph.h"

namespace einsummable::cuda {

// A task that computes or copies within a device, as nodes; none for a transfer. Memory need not be
// planned yet. Throws DeviceError, with the operator, its inputs' names and types, if no kernel
// takes it.
PreparedTask nodes_of(const TaskGraph& graph, const Task& task, const KernelOptions& options);

struct CudaOptions;

// Whether the library of the task's device has the product and the epilogue that its steps are, for
// blocks that lie as the task's do.
bool has_epilogue(const Api& api, const CudaOptions& options, const TaskGraph& graph,
                  const Task& task);

// "matmul \"up\" of x [8, 16] float32 and ...", or "a transfer of x": what a task is, for errors.
std::string describe(const TaskGraph& graph, const Task& task);

}  // namespace einsummable::cuda
