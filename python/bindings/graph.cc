// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/graph.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "einsummable/graph/contract.h"
#include "einsummable/ops/registry.h"
#include "python/bindings/attributes.h"
#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using Handles = std::vector<int64_t>;

Handles numbers(std::span<const TensorId> ids) {
  Handles out;
  for (TensorId id : ids) out.push_back(id.value);
  return out;
}

Attributes to_attributes(std::string_view op, const nb::dict& given) {
  const OperatorInfo* info = find_operator(op);
  Attributes out;
  for (const auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    AttributeKind kind = AttributeKind::string;
    for (const AttributeInfo& attribute : info ? info->attributes : std::vector<AttributeInfo>{}) {
      if (attribute.name == name) kind = attribute.kind;
    }
    out.set(name, to_attribute(name, kind, value));
  }
  return out;
}

Handles apply(Graph& graph, const std::string& op, const Handles& inputs,
              const nb::dict& attributes, const std::string& name) {
  std::vector<TensorId> ids;
  for (int64_t input : inputs) ids.emplace_back(input);
  return numbers(graph.apply(op, ids, to_attributes(op, attributes), name));
}

std::string kind_name(const GraphTensor& tensor) {
  switch (tensor.kind) {
    case GraphTensor::Kind::input:
      return "input";
    case GraphTensor::Kind::parameter:
      return "parameter";
    case GraphTensor::Kind::result:
      return "result";
  }
  return "";
}

}  // namespace

void bind_graph(nb::module_& module) {
  nb::class_<GraphTensor>(module, "GraphTensor", "A tensor of a graph.")
      .def_ro("name", &GraphTensor::name)
      .def_prop_ro("kind", &kind_name, "input, parameter or result.")
      .def_prop_ro("dtype", [](const GraphTensor& t) { return long_name(t.type.dtype); })
      .def_prop_ro("shape", [](const GraphTensor& t) { return t.type.shape(); })
      .def_ro("output", &GraphTensor::output, "Which output of the operator that makes it.");
  nb::class_<Graph>(module, "Graph", "A computation; tensors are numbers in order of creation.")
      .def(nb::init<>())
      .def("input",
           [](Graph& graph, const std::string& dtype, const Shape& shape, const std::string& name) {
             return graph.input(dtype_named(dtype), shape, name).value;
           })
      .def("parameter",
           [](Graph& graph, const std::string& dtype, const Shape& shape, const std::string& name) {
             return graph.parameter(dtype_named(dtype), shape, name).value;
           })
      .def("apply", &apply, nb::arg("op"), nb::arg("inputs"), nb::arg("attributes"),
           nb::arg("name"),
           nb::sig("def apply(self, op: str, inputs: Sequence[int], attributes: dict[str, object], "
                   "name: str) -> list[int]"))
      .def(
          "einsum",
          [](Graph& graph, const std::string& spec, const Handles& inputs,
             const std::string& combine, const std::string& aggregate, const std::string& name) {
            const std::vector<TensorId> ids(inputs.begin(), inputs.end());
            return einsum(graph, spec, ids,
                          {.combine = combine, .aggregate = aggregate, .name = name})
                .value;
          },
          nb::arg("spec"), nb::arg("inputs"), nb::arg("combine"), nb::arg("aggregate"),
          nb::arg("name"))
      .def("save", [](Graph& graph, int64_t tensor,
                      const std::string& name) { graph.save(TensorId(tensor), name); })
      .def("tensor", [](const Graph& graph,
                        int64_t id) { return graph.tensors().at(static_cast<size_t>(id)); })
      .def_prop_ro("tensor_count", [](const Graph& graph) { return graph.tensors().size(); })
      .def_prop_ro("op_count", [](const Graph& graph) { return graph.ops().size(); })
      .def_prop_ro(
          "saves",
          [](const Graph& graph) {
            std::vector<std::pair<int64_t, std::string>> out;
            for (const GraphSave& save : graph.saves()) {
              out.emplace_back(save.tensor.value, save.name);
            }
            return out;
          },
          "The saved tensors and the names they are saved under.")
      .def("text", [](const Graph& graph) { return text(graph); });
  module.def("parse_graph", [](const std::string& source) { return parse_graph(source); });
}

}  // namespace einsummable
