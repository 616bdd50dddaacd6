// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "einsummable/base/id.h"
#include "einsummable/base/interruption.h"
#include "einsummable/ops/operator.h"

namespace einsummable {

struct OpTag;
struct TensorTag;
using OpId = Id<OpTag>;
using TensorId = Id<TensorTag>;

// A tensor of a graph: given at every call, given once (a parameter), or made by an operator.
struct GraphTensor {
  enum class Kind : uint8_t { input, parameter, result };

  Kind kind = Kind::input;
  TensorType type;
  std::string name;    // of an input or a parameter: the user's; of a result: the operator's
  OpId producer = {};  // of a result
  int32_t output = 0;  // which of the producer's outputs

  bool is_given() const { return kind != Kind::result; }
};

struct GraphOp {
  std::shared_ptr<const Operator> op;
  std::vector<TensorId> inputs, outputs;
  std::string name;
};

struct GraphSave {
  TensorId tensor;
  std::string name;
};

// A computation: tensors, operators in topological order, and the tensors to keep (Section 4.2's
// directed acyclic graph). Says nothing about devices.
//   Graph g;
//   TensorId x = g.input(DType::f32, {1024, 4096}, "x");
//   TensorId w = g.parameter(DType::f32, {4096, 14336}, "w");
//   g.save(g.apply("matmul", {x, w}, {}, "up")[0], "y");
class Graph {
 public:
  // A tensor given at every call; a tensor given once. An empty name stands for `tensor_<id>`.
  // Throws GraphError for a name taken or not of UTF-8, a negative or overflowing extent, more than
  // 32 axes.
  TensorId input(DType dtype, std::span<const int64_t> shape, std::string_view name = "");
  TensorId input(DType dtype, std::initializer_list<int64_t> shape, std::string_view name = "") {
    return input(dtype, std::span(shape.begin(), shape.size()), name);
  }
  TensorId parameter(DType dtype, std::span<const int64_t> shape, std::string_view name = "");
  TensorId parameter(DType dtype, std::initializer_list<int64_t> shape,
                     std::string_view name = "") {
    return parameter(dtype, std::span(shape.begin(), shape.size()), name);
  }

  // Applies a registered operator; gives its outputs. Mixed dtypes meet as the operator promotes
  // them, by `cast` operators put in between. An empty name stands for `<operator>_<id>`. Throws
  // GraphError, with the operator, its inputs' names and types, and what would be legal.
  std::vector<TensorId> apply(std::string_view op, std::span<const TensorId> inputs,
                              const Attributes& attributes = {}, std::string_view name = "");
  std::vector<TensorId> apply(std::string_view op, std::initializer_list<TensorId> inputs,
                              const Attributes& attributes = {}, std::string_view name = "") {
    return apply(op, std::span(inputs.begin(), inputs.size()), attributes, name);
  }

  // Keeps a tensor: its value is there after a call, under `name` (default: the tensor's own name).
  void save(TensorId tensor, std::string_view name = "");

  const std::vector<GraphTensor>& tensors() const { return tensors_; }
  const std::vector<GraphOp>& ops() const { return ops_; }
  const std::vector<GraphSave>& saves() const { return saves_; }
  const GraphTensor& tensor(TensorId id) const { return tensors_[id.index()]; }
  const GraphOp& op(OpId id) const { return ops_[id.index()]; }
  const TensorType& type(TensorId id) const { return tensors_[id.index()].type; }

  // `matmul "up": x is float32[3, 4] and w1 is float32[5, 6]`, for messages.
  std::string describe_call(std::string_view op, std::string_view name,
                            std::span<const TensorId> inputs) const;

  // The input or parameter, the operator, of that name; an invalid id if there is none.
  TensorId find_tensor(std::string_view name) const;
  OpId find_op(std::string_view name) const;

 private:
  friend class GraphReader;

  // Looks up without making a string.
  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Names = std::unordered_map<std::string, int32_t, NameHash, std::equal_to<>>;

  TensorId add_given(GraphTensor::Kind kind, DType dtype, std::span<const int64_t> shape,
                     std::string_view name);
  std::vector<TensorId> add_op(std::shared_ptr<const Operator> op, std::vector<TensorId> inputs,
                               std::string name);
  std::vector<TensorId> promoted(const OperatorInfo& info, std::span<const TensorId> inputs);
  void check(TensorId tensor) const;

  std::vector<GraphTensor> tensors_;
  std::vector<GraphOp> ops_;
  std::vector<GraphSave> saves_;
  Names tensor_names_, op_names_, save_names_;
};

// Checks what later stages rely on: topological order, types as inferred, unique names, at least
// one saved tensor. Throws GraphError.
void verify(const Graph& graph, const Interruption& interruption = {});

// The same computation without operators that no saved tensor needs. Inputs and parameters all
// stay. What `interruption` adds to the graph meanwhile is left out.
Graph prune(const Graph& graph, const Interruption& interruption = {});

// The first `ops` operators alone. Keeps, under names of its own, what the graph saves of their
// results and what its other operators read of them.
Graph prefix(const Graph& graph, size_t ops);

// For each tensor, the operators that read it, once for each input that does.
std::vector<std::vector<OpId>> consumers(const Graph& graph);

// The text form, and back. `parse_graph` throws GraphError with line and column.
//   graph 1
//   %0 = input f32[1024, 4096] "x"
//   %1 = parameter f32[4096, 14336] "w"
//   %2 = matmul(%0, %1, transpose_x=false, transpose_w=false) "up"
//   save %2 "y"
std::string text(const Graph& graph);
Graph parse_graph(std::string_view text);

}  // namespace einsummable
