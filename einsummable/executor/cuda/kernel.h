// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "einsummable/executor/cuda/api.h"
#include "einsummable/task/task_graph.h"

namespace einsummable::cuda {

// A block as a kernel knows it before there is memory: element x lies at the block's address +
// size_of(dtype) * sum of x[i] * strides[i]. The address is a multiple of `alignment` bytes.
struct Block {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<int64_t> strides;  // in elements
  int64_t alignment = 1;         // a power of two, at most 256
};

// One cell of an operator on blocks. Of an output that the cell completes alone there is one block,
// of any other one a component of its partial type.
struct KernelCall {
  const Operator& op;
  const FunctionSpec& cell;
  std::span<const Block> inputs;
  std::span<const Block> outputs;
  std::span<const char> complete;  // an output of the operator each: whether it is finished
};

// What an argument of a node is the address of.
struct Argument {
  enum class Of : uint8_t { read, write, workspace, fault };
  Of of = Of::read;
  int32_t index = 0;  // of a read or a write: which operand of the task
  int64_t bytes = 0;  // from where that begins
};

// A kernel as source in the words of words.cuh and prelude.cuh: the text of its parameters, one an
// argument, and of its body.
//   parameters  "ES_READ(float) in0, ES_WRITE(float) out0"
//   body        "ES_LOOP(i, 1024) store(out0, i, load(in0, i));"
struct KernelSource {
  std::string parameters, body;
  int32_t threads = 256;  // a block has, exactly

  bool operator==(const KernelSource&) const = default;
};

struct GeneratedKernel {
  KernelSource source;
  int64_t blocks = 1;  // at least 1, below 2^31
  std::vector<Argument> arguments;
};

// A matrix product by the library: the addresses of `product` are left 0.
struct ProductCall {
  Product product = {};
  Argument a, b, c, workspace;
  std::optional<Argument> residual, bias;
};

// Attention by the library: its addresses are left 0.
struct AttentionCall {
  Attention attention = {};
  Argument q, k, v, out, workspace;
  std::optional<Argument> lse;
};

using NodeCall = std::variant<GeneratedKernel, ProductCall, AttentionCall>;

// What workspaces are multiples of, in bytes.
inline constexpr int64_t kWorkspaceUnit = 256;

// A task as nodes, each after the one before.
struct PreparedTask {
  std::vector<NodeCall> nodes;
  int64_t workspace = 0;  // bytes, a multiple of kWorkspaceUnit
  // Of a task with a `fault` argument: the read that holds ids, whose row-major position a fault
  // names, and the ids that are legal, those below `rows`.
  struct Ids {
    int32_t read = 0;
    int64_t rows = 0;
  };
  std::optional<Ids> ids = {};
};

// What kernels may use: the machine's, or what a test wants to see used.
struct KernelOptions {
  bool library_attention = false;  // cuDNN is there, and serves the devices
  bool bfloat16_products = true;   // cuBLASLt has them for the devices: from sm_80
  bool tf32 = false;               // whether float32 products may round operands to tf32
  int64_t product_workspace = int64_t{32} << 20;  // bytes, a multiple of kWorkspaceUnit
};

struct Epilogue;

// A kernel's entry: nothing if it does not take this call; and the same with an epilogue, if it
// ever does one.
struct KernelEntry {
  std::string_view op;
  std::optional<PreparedTask> (*prepare)(const KernelCall& call, const KernelOptions& options);
  std::optional<PreparedTask> (*prepare_with)(const KernelCall& call, const Epilogue& epilogue,
                                              const KernelOptions& options) = nullptr;
};

// The kernels: the lines of kernels.def, tried in this order.
std::span<const KernelEntry> kernels();

// The first kernel that takes the call; one for every elementwise operator, and for every layout
// operator whose block is a view. Throws DeviceError, naming the operator and what would help, if
// there is none.
PreparedTask prepare_kernel(const KernelCall& call, const KernelOptions& options);

// One elementwise operator.
PreparedTask prepare_elementwise(const Operator& op, std::span<const Block> inputs,
                                 const Block& output);

// A run of elementwise operators: the steps of a task in order, the last one's block stored.
PreparedTask prepare_fused(const Graph& graph, const Task& task, std::span<const Block> inputs,
                           const Block& output);

// A kernel and its epilogue: the first step of a task, and the others in order. Nothing if no
// kernel does that.
std::optional<PreparedTask> prepare_epilogue(const TaskGraph& graph, const Task& task,
                                             std::span<const Block> inputs, const Block& output,
                                             const KernelOptions& options);

// Copies of every reads[i] to writes[i].
PreparedTask prepare_copies(std::span<const Block> reads, std::span<const Block> writes);

// Merges `parts` partial results, part after part, as the task graph's `aggregate`; with `finished`
// also `finalise`, whose only write is the finished block of that dtype.
PreparedTask prepare_merge(const PartialType& partial, int32_t parts, std::optional<DType> finished,
                           std::span<const Block> reads, std::span<const Block> writes);

}  // namespace einsummable::cuda
