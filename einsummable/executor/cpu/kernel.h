// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "einsummable/task/task_graph.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// One cell of an operator on blocks in memory. Of an output that the cell completes alone there is
// one view, of the finished block; of any other, one view a component of its partial type. While
// only workspace is asked for, views have no data.
struct KernelCall {
  const Operator& op;
  const FunctionSpec& cell;
  std::span<const StridedView> inputs;
  std::span<const StridedView> outputs;
  std::span<const char> complete;  // an output of the operator each: whether it is finished
};

// A call made ready: it may run any number of times, on one thread at a time, and allocates nothing
// while it runs.
struct PreparedKernel {
  enum class Kind : uint8_t { fast, reference } kind = Kind::fast;
  int64_t workspace = 0;  // bytes, aligned to 64
  std::function<void(std::span<std::byte> workspace)> run = {};
  // Reads an input elsewhere from now on, with other strides; false if the kernel does not take it
  // there, and then reads it where it did. Empty if it never does.
  std::function<bool(size_t input, std::byte* data, std::span<const int64_t> strides)> move_input =
      {};
};

// A fast kernel's entry: nothing if it does not take this call.
struct KernelEntry {
  std::string_view op;
  std::optional<PreparedKernel> (*prepare)(const KernelCall& call);
};

// The fast kernels: the lines of kernels.def.
std::span<const KernelEntry> fast_kernels();

// The first fast kernel that takes the call, else the operator's reference on its blocks: in int64
// if inputs and outputs are ints and bools, in float64 otherwise.
PreparedKernel prepare_kernel(const KernelCall& call);
PreparedKernel prepare_reference(const KernelCall& call);

// The kernel of a layout operator with one input, if its block is a view of a dense input block.
std::optional<PreparedKernel> prepare_layout(const KernelCall& call);

// The kernel of one elementwise operator on its blocks.
PreparedKernel prepare_elementwise(const Operator& op, std::span<const StridedView> inputs,
                                   const StridedView& output);

// The kernel of a run of elementwise operators: the steps of a task in order, the last one's block
// stored. `inputs` are the task's reads.
PreparedKernel prepare_fused(const Graph& graph, const Task& task,
                             std::span<const StridedView> inputs,
                             std::span<const StridedView> outputs);

}  // namespace einsummable::cpu
