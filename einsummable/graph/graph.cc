// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/graph.h"

#include <set>

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"
#include "einsummable/ops/registry.h"

namespace einsummable {
namespace {

constexpr size_t kMaximalTensors = 4'000'000;

// `wanted`, or if it is empty the first of default, default_1, default_2 ... that is free.
template <class Names>
std::string free_name(const Names& taken, std::string_view wanted, const std::string& standard,
                      std::string_view what) {
  if (!wanted.empty()) {
    if (!is_utf8(wanted)) {
      throw GraphError("the name " + quote(wanted) + " is no text: names are UTF-8");
    }
    if (taken.contains(std::string(wanted))) {
      throw GraphError("there is already " + std::string(what) + " called " + quote(wanted));
    }
    return std::string(wanted);
  }
  std::string name = standard;
  for (int64_t i = 1; taken.contains(name); ++i) name = standard + "_" + std::to_string(i);
  return name;
}

// The live operators and all inputs and parameters; keeps `saves`, which are of `graph`.
Graph copy_of(const Graph& graph, const std::vector<bool>& live, std::span<const GraphSave> saves,
              const Interruption& interruption) {
  Graph out;
  std::vector<TensorId> renamed(graph.tensors().size());
  const auto rename = [&](std::span<const TensorId> ids) {
    std::vector<TensorId> to;
    for (TensorId id : ids) to.push_back(renamed[id.index()]);
    return to;
  };
  for (size_t t = 0; t < renamed.size(); ++t) {
    interruption.check();
    const GraphTensor& tensor = graph.tensors()[t];
    if (tensor.kind == GraphTensor::Kind::input) {
      renamed[t] = out.input(tensor.type.dtype, tensor.type.shape(), tensor.name);
    } else if (tensor.kind == GraphTensor::Kind::parameter) {
      renamed[t] = out.parameter(tensor.type.dtype, tensor.type.shape(), tensor.name);
    } else if (tensor.output == 0 && live[tensor.producer.index()]) {
      const GraphOp& op = graph.op(tensor.producer);
      const auto made = out.apply(op.op->name(), rename(op.inputs), op.op->attributes(), op.name);
      for (size_t i = 0; i < made.size(); ++i) renamed[op.outputs[i].index()] = made[i];
    }
  }
  for (const GraphSave& save : saves) out.save(renamed[save.tensor.index()], save.name);
  return out;
}

}  // namespace

TensorId Graph::input(DType dtype, std::span<const int64_t> shape, std::string_view name) {
  return add_given(GraphTensor::Kind::input, dtype, shape, name);
}

TensorId Graph::parameter(DType dtype, std::span<const int64_t> shape, std::string_view name) {
  return add_given(GraphTensor::Kind::parameter, dtype, shape, name);
}

TensorId Graph::add_given(GraphTensor::Kind kind, DType dtype, std::span<const int64_t> shape,
                          std::string_view name) {
  const TensorId id(static_cast<int64_t>(tensors_.size()));
  require(tensors_.size() < kMaximalTensors, "a graph has at most 4,000,000 tensors");
  std::string unique =
      free_name(tensor_names_, name, "tensor_" + std::to_string(id.value), "a tensor");
  GraphTensor tensor{.kind = kind, .type = {}, .name = unique};
  try {
    tensor.type = tensor_type(dtype, shape);
  } catch (const GraphError& error) {
    throw GraphError("tensor " + quote(unique) + ": " + error.what());
  }
  tensor_names_.emplace(std::move(unique), id.value);
  tensors_.push_back(std::move(tensor));
  return id;
}

void Graph::check(TensorId tensor) const {
  if (!tensor.valid() || tensor.index() >= tensors_.size()) {
    throw GraphError("there is no tensor %" + std::to_string(tensor.value) + " in this graph of " +
                     std::to_string(tensors_.size()));
  }
}

std::string Graph::describe_call(std::string_view op, std::string_view name,
                                 std::span<const TensorId> inputs) const {
  std::string out = std::string(op) + (name.empty() ? "" : " " + quote(name));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const GraphTensor& given = tensor(inputs[i]);
    out += i == 0 ? ": " : i + 1 == inputs.size() ? " and " : ", ";
    out += given.name + " is " + describe(given.type);
  }
  return out;
}

std::vector<TensorId> Graph::promoted(const OperatorInfo& info, std::span<const TensorId> inputs) {
  std::vector<TensorType> types;
  for (TensorId id : inputs) types.push_back(type(id));
  std::vector<TensorId> out(inputs.begin(), inputs.end());
  const std::vector<DType> dtypes = promoted_dtypes(info, types);
  for (size_t i = 0; i < out.size(); ++i) {
    if (dtypes[i] != types[i].dtype) out[i] = apply("cast", {out[i]}, {{"dtype", dtypes[i]}})[0];
  }
  return out;
}

std::vector<TensorId> Graph::apply(std::string_view op, std::span<const TensorId> inputs,
                                   const Attributes& attributes, std::string_view name) {
  for (TensorId id : inputs) check(id);
  const OperatorInfo* info = find_operator(op);
  if (!info) throw GraphError("there is no operator " + quote(op));
  try {
    require(!op_names_.contains(name), "there is already an operator called " + quote(name));
    const bool counted = inputs.size() <= info->inputs.size() || info->inputs.empty() ||
                         info->inputs.back().arity == InputInfo::Arity::variadic;
    const std::vector<TensorId> meeting = counted && !info->inputs.empty()
                                              ? promoted(*info, inputs)
                                              : std::vector<TensorId>(inputs.begin(), inputs.end());
    OperatorCall call{.inputs = {}, .attributes = attributes, .names = {}};
    for (size_t i = 0; i < meeting.size(); ++i) {
      call.inputs.push_back(type(meeting[i]));
      call.names.push_back(tensor(inputs[i]).name);
    }
    return add_op(make_operator(*info, std::move(call)), meeting, std::string(name));
  } catch (const Error& error) {
    throw GraphError(describe_call(op, name, inputs) + "; " + error.what());
  }
}

std::vector<TensorId> Graph::add_op(std::shared_ptr<const Operator> op,
                                    std::vector<TensorId> inputs, std::string name) {
  require(tensors_.size() + op->outputs().size() <= kMaximalTensors,
          "a graph has at most 4,000,000 tensors");
  const OpId id(static_cast<int64_t>(ops_.size()));
  name = free_name(op_names_, name, op->name() + "_" + std::to_string(id.value), "an operator");
  op_names_.emplace(name, id.value);
  GraphOp node{.op = op, .inputs = std::move(inputs), .outputs = {}, .name = name};
  for (size_t i = 0; i < op->outputs().size(); ++i) {
    node.outputs.push_back(TensorId(static_cast<int64_t>(tensors_.size())));
    tensors_.push_back({.kind = GraphTensor::Kind::result,
                        .type = op->outputs()[i],
                        .name = name,
                        .producer = id,
                        .output = static_cast<int32_t>(i)});
  }
  ops_.push_back(node);
  return node.outputs;
}

void Graph::save(TensorId tensor, std::string_view name) {
  check(tensor);
  std::string unique =
      free_name(save_names_, name, tensors_[tensor.index()].name, "a saved tensor");
  save_names_.emplace(unique, static_cast<int32_t>(saves_.size()));
  saves_.push_back({tensor, std::move(unique)});
}

TensorId Graph::find_tensor(std::string_view name) const {
  const auto found = tensor_names_.find(name);
  return found == tensor_names_.end() ? TensorId() : TensorId(found->second);
}

OpId Graph::find_op(std::string_view name) const {
  const auto found = op_names_.find(name);
  return found == op_names_.end() ? OpId() : OpId(found->second);
}

std::vector<std::vector<OpId>> consumers(const Graph& graph) {
  std::vector<std::vector<OpId>> out(graph.tensors().size());
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    for (TensorId id : graph.ops()[i].inputs) {
      out[id.index()].push_back(OpId(static_cast<int64_t>(i)));
    }
  }
  return out;
}

Graph prefix(const Graph& graph, size_t ops) {
  std::vector<bool> live(graph.ops().size(), false);
  std::fill_n(live.begin(), ops, true);
  std::set<TensorId> kept;
  const auto keep = [&](TensorId id) {
    const OpId producer = graph.tensor(id).producer;
    if (producer.valid() && producer.index() < ops) kept.insert(id);
  };
  for (const GraphSave& save : graph.saves()) keep(save.tensor);
  for (size_t i = ops; i < graph.ops().size(); ++i) {
    for (TensorId input : graph.ops()[i].inputs) keep(input);
  }
  std::vector<GraphSave> saves;
  for (TensorId id : kept) saves.push_back({id, std::to_string(saves.size())});
  return copy_of(graph, live, saves, {});
}

Graph prune(const Graph& graph, const Interruption& interruption) {
  const std::vector<GraphSave> saves = graph.saves();
  std::vector<bool> needed(graph.tensors().size(), false);
  for (const GraphSave& save : saves) needed[save.tensor.index()] = true;
  std::vector<bool> live(graph.ops().size(), false);
  for (size_t i = graph.ops().size(); i-- > 0;) {
    const GraphOp& op = graph.ops()[i];
    live[i] = std::ranges::any_of(op.outputs, [&](TensorId id) { return needed[id.index()]; });
    if (!live[i]) continue;
    for (TensorId id : op.inputs) needed[id.index()] = true;
  }
  return copy_of(graph, live, saves, interruption);
}

}  // namespace einsummable
